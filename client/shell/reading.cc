#include "client/shell/reading.h"
