#ifndef CPU_H
#define CPU_H
#include "kernels.h"

/** The kernels for the best instruction set that processor and system have, or 0. `most` may name a lesser one. */
const Kernels *kernels_for(const char *most);
#endif
