# Completion of `talus` for bash: commands, their options, words of options, and files by kind. It is
# installed as bash-completion/completions/talus; to try it, source it. tests/cli/test_completion.sh
# holds it to what `talus COMMAND --help` lists.

# Folders, and files whose names end in one of the given extensions.
_talus_files() # word, extensions...
{
    local word=$1 extension file
    shift
    while IFS= read -r file; do
        COMPREPLY+=("$file/")
    done < <(compgen -d -- "$word")
    for extension; do
        while IFS= read -r file; do
            COMPREPLY+=("$file")
        done < <(compgen -f -X "!*.$extension" -- "$word")
    done
    compopt -o filenames -o nospace 2> /dev/null
}

_talus_words() # word, list of words
{
    mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1")
}

_talus()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} options='' files='' meshes="stl obj ply dae gltf glb" viewer="--port --bind --no-token --no-browser"
    COMPREPLY=()

    if [ "$COMP_CWORD" -eq 1 ]; then
        _talus_words "$word" "run resume check info export decompose import query plot compare sweep view render problem solve bench help --help --version"
        return
    fi

    case $command in
    run)
        options="--output -o --until --set --threads --backend --stepper --planes --solver --iterations --precision
            --rate --contacts --fields --compression --no-record --force -f --view --render --look $viewer --quiet -q --json --help -h"
        files="json txt"
        ;;
    resume)
        options="--until --threads --backend --quiet -q --json --help -h"
        files=h5
        ;;
    check)
        options="--set --unit --scale --merge --density --json --help -h"
        files="json txt $meshes"
        ;;
    info)
        options="--set --json --help -h"
        files="json txt h5"
        ;;
    export)
        options="--output -o --format --from --to --every --body --force -f --quiet -q --json --help -h"
        files=h5
        ;;
    decompose)
        options="--output -o --force -f --convex --tolerance --spheres --pieces --vertices --name --material --unit --scale
            --merge --density --quiet -q --json --help -h"
        files=$meshes
        ;;
    import)
        options="--output -o --ground --force -f --quiet -q --json --help -h"
        files=txt
        ;;
    compare)
        options="--from --to --csv --json --help -h"
        files=h5
        ;;
    plot)
        options="--output -o --y --x --from --to --inset --title --force -f --quiet -q --help -h"
        files=h5
        ;;
    sweep)
        options="--output -o --vary --bisect --where --tolerance --measure --from --to --jobs -j --until --set --threads --backend
            --quiet -q --json --help -h"
        files="json txt"
        ;;
    render)
        options="--output -o --look --template --plugin --init --size --fps --speed --from --to --at --quality --samples --noise --denoise --shutter
            --camera --color --title --part --by --assemble --plan --follow --rib --inject --exr --numbers --threads --tile --force -f --quiet -q --json --help -h"
        files="h5 csv"
        ;;
    query)
        options="--ray --overlap --max-distance --margin --hollow --frame --set --json --help -h"
        files="json txt h5"
        ;;
    view)
        options="--until --set --threads --backend --output -o --force -f --start --paused --free $viewer
            --quiet -q --help -h"
        files="json txt h5"
        ;;
    problem)
        options="--output -o --step --form --corpus --layers --threads --force -f --set --quiet -q --json --help -h"
        files="json txt h5"
        ;;
    solve)
        options="--output -o --solver --law --tolerance --iterations --cold --csv --threads --force -f --quiet -q --json --help -h"
        files="hdf5 h5"
        ;;
    help)
        _talus_words "$word" "run resume check info export decompose import query plot compare sweep view render problem solve bench"
        return
        ;;
    bench)
        [ "$COMP_CWORD" -gt 2 ] || _talus_words "$word" "$(talus bench --list 2> /dev/null | cut -d ' ' -f 1) --list --help"
        return
        ;;
    esac

    # `--backend=c` comes as three words, `--backend`, `=` and `c`.
    if [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    elif [ "$word" = = ]; then
        word=
    fi
    case $before in
    --backend) _talus_words "$word" "auto cpu cuda" ;;
    --stepper) _talus_words "$word" "dvi smooth stewart-trinkle peg penalty" ;;
    --planes) _talus_words "$word" "by-motion nearest" ;;
    --solver) _talus_words "$word" "psor jacobi apgd spg interior" ;;
    --law) _talus_words "$word" "default cone coulomb" ;;
    --form) _talus_words "$word" "global local" ;;
    --corpus) _talus_files "$word" ;;
    --step | --layers) ;;
    --precision) _talus_words "$word" "mixed double" ;;
    --format) _talus_words "$word" "csv vtk steps contacts monitors joints" ;;
    --output | -o)
        if [ "$command" = export ]; then
            _talus_files "$word" csv pvd
        elif [ "$command" = plot ]; then
            _talus_files "$word" svg png
        elif [ "$command" = render ]; then
            _talus_files "$word" mp4 webm png
        elif [ "$command" = problem ] || [ "$command" = solve ]; then
            _talus_files "$word" hdf5
        elif [ "$command" = sweep ]; then
            _talus_files "$word"
        elif [ "$command" = decompose ] || [ "$command" = import ]; then
            _talus_files "$word" json
        else
            _talus_files "$word" h5
        fi
        ;;
    --unit) _talus_words "$word" "m cm mm um in ft" ;;
    --compression) _talus_words "$word" "none lossless quantised" ;;
    --until | --set | --threads | --iterations | --rate | --fields | --from | --to | --every | --body | --port | --bind) ;;
    --ray | --overlap | --max-distance | --margin | --frame) ;;
    --y | --x | --inset | --title) ;;
    --look | --init) _talus_files "$word" json ;;
    --render) _talus_files "$word" mp4 webm ;;
    --plugin) _talus_files "$word" so ;;
    --inject) _talus_files "$word" rib ;;
    --template) _talus_words "$word" "studio daylight moon cutaway blueprint" ;;
    --quality) _talus_words "$word" "draft good final" ;;
    --by) _talus_words "$word" "frames tiles" ;;
    --size | --fps | --speed | --at | --samples | --noise | --shutter | --camera | --color | --part | --plan | --tile) ;;
    --vary | --bisect | --where | --measure | --jobs | -j) ;;
    --tolerance | --spheres | --pieces | --vertices | --name | --material | --scale | --merge | --density) ;;
    *)
        case $word in
        -*) _talus_words "$word" "$options" ;;
        *)
            # shellcheck disable=SC2086  # words, on purpose
            _talus_files "$word" $files
            ;;
        esac
        ;;
    esac
}

complete -F _talus talus
