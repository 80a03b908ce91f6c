/* Kernels that find contacts, on a GPU. */
#include "kernels/contacts.h"
#include "kernels/look.h"
#include "kernels/swing.h"
#include "kernels/touch.h"

#define TL_CUDA_LIST "kernels/find.inc"
#include "backend/cuda/map.cuh"
#include "backend/cuda/find.cuh"

#define map_bounds         tuned_bounds
#define map_bin_fill       tuned_bin_fill
#define map_contact_count  tuned_contact_count
#define map_contact_write  tuned_contact_write
#define map_match_contacts tuned_match_contacts
#include "backend/cuda/table.cuh"
