// Dark or light: as the system says, or as chosen here. The choice is kept in this browser.

export class Theme {
  constructor(changed) {
    this.changed = changed;
    this.system = window.matchMedia('(prefers-color-scheme: light)');
    this.system.addEventListener('change', () => this.apply());
    let stored = null;
    try {
      stored = localStorage.getItem('talus-theme');
    } catch {
      /* storage is switched off */
    }
    this.choice = ['light', 'dark'].includes(stored) ? stored : 'auto';
  }

  get name() {
    return this.choice === 'auto' ? (this.system.matches ? 'light' : 'dark') : this.choice;
  }

  choose(choice) {
    this.choice = choice;
    try {
      localStorage.setItem('talus-theme', choice);
    } catch {
      /* storage is switched off */
    }
    this.apply();
  }

  apply() {
    document.documentElement.dataset.theme = this.name;
    this.changed(this.name);
  }
}
