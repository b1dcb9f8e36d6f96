// The variables that the spawner itself gives to a target. There is room for two of them, which
// the request leaves behind the environment.
#include "environment.h"

#include <string.h>

static const char padding_name[] = "LAUNCHLAB_PADDING=";

// Sets a variable, or replaces it; the assignment must stay where it is.
void put_variable(char **environment, char *assignment) {
  size_t name = (size_t)(strchr(assignment, '=') - assignment) + 1;
  while (*environment && strncmp(*environment, assignment, name) != 0) environment++;
  if (!*environment) environment[1] = NULL;
  *environment = assignment;
}

// Moves the stack of the target, and so all that its speed owes to where the stack happens to be.
void pad_environment(const struct launch *launch) {
  static char assignment[sizeof padding_name + PADDING_LIMIT];
  uint32_t length = launch->request->padding;
  if (length > PADDING_LIMIT) length = PADDING_LIMIT;
  char *value = assignment + sizeof padding_name - 1;
  memcpy(assignment, padding_name, sizeof padding_name - 1);
  memset(value, 'X', length);
  value[length] = 0;
  put_variable(launch->environment, assignment);
}
