#include "CLabHost.h"

#include <stddef.h>

// The ICU of Swift's Foundation prefixes its names. It is a weak symbol, since a Foundation that names it
// otherwise has to be linked with as well.
extern void swift_uloc_setDefault(const char *locale, int *status) __attribute__((weak));

// Source: ICU 76, source/common/putil.cpp (uprv_getDefaultLocaleID) and locid.cpp
// (locale_set_default_internal), which dereferences NULL where a language has more than 11 letters.
int lab_choose_locale(void) {
  int status = 0;
  if (swift_uloc_setDefault == NULL) return 0;
  swift_uloc_setDefault("en_US_POSIX", &status);
  return status <= 0;
}
