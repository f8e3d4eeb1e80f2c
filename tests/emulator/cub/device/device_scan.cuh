#define EMULATOR_CUB_PART
#include <cub/cub.cuh> /* one file has it all */
