// What the parts of the spawner share. Each part is one file; protocol.h has the wire format.
#ifndef SPAWNER_H
#define SPAWNER_H

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "spawner_protocol.h"

enum { CONTROL = 3 };

struct launch {
  struct request_header *request;
  const char *program, *directory, *standard_input, *text, *host;
  const char *stop_text, *stop_host;
  const char *chosen_name, *chosen_path;  // of the program whose peak memory is asked for; empty for none
  char **arguments, **environment;

  pid_t pid;
  int pidfd;
  int main_alive;
  int main_status;
  int input;       // opened standard input, or -1 for the spawner's own /dev/null
  int streams[2];  // what the spawner reads; -1 when closed
  int ends[2];     // what the target writes to
  int notify;      // the bound notification socket, or -1
  int counter_files[COUNTER_LIMIT];

  int64_t before_clone;
  int64_t started;  // just before execve
  struct rusage before_exec;  // what the main process had used by then
  struct rusage main_usage;   // without that
  struct rusage orphan_usage;  // the sum of the orphans that ended by themselves
  struct result_header result;
};

// spawner.c
int64_t monotonic(void);
char *put_number(char *text, unsigned number);
extern char runtime_directory[];

// spawner_request.c: the control socket.
enum received { REQUEST, FAREWELL, END_OF_FILE };
enum received receive_request(struct launch *launch);
void send_result(struct launch *launch);
int controller_is_gone(void);

// spawner_start.c: from the request to the running target.
int start(struct launch *launch);

// spawner_conditions.c: what holds for the target from before its first instruction.
void keep_off_targets(const char *own, const char *targets);
void prepare_conditions(const struct launch *launch);
enum step set_conditions(const struct launch *launch);
int set_own_scheduling(const struct launch *launch);

// spawner_environment.c: the spawner's own variables.
void put_variable(char **environment, char *assignment);
void pad_environment(const struct launch *launch);

// spawner_network.c: a network of its own for the launch.
int enter_network(void);
void leave_network(void);

// spawner_watch.c: from the running target to the outcome.
void watch(struct launch *launch);
void await_stop_condition(struct launch *launch);

// spawner_output.c: the streams of the target.
int open_streams(struct launch *launch);
int drain(struct launch *launch, int64_t *matched_at);
int match_kept(const struct launch *launch);
void close_streams(struct launch *launch);
const uint8_t *stream_head(int stream);
void forget_streams(void);
uint32_t stream_tail(int stream, const uint8_t *pieces[2], uint32_t lengths[2]);

// spawner_match.c: the pattern of an output condition.
int open_pattern(const char *text);
int match(const uint8_t *bytes, uint32_t count);
int match_end(void);

// spawner_notify.c: the notification socket.
int open_notification(struct launch *launch);
int hears_notifications(const struct launch *launch);
int receive_notification(struct launch *launch, int64_t *said_at);
void close_notification(struct launch *launch);

// spawner_probe.c: conditions that are polled.
int is_polled(const struct launch *launch);
int held_before(struct launch *launch);
int64_t probe_interval(int64_t elapsed);
void open_probe(void);
int probe(struct launch *launch, int64_t now);
int probe_at_end(struct launch *launch, int64_t now);
int probe_descriptor(short *events);
int64_t next_probe(void);
void close_probe(void);

// spawner_listeners.c: who listens on a TCP port.
int find_listener(const struct request_header *request, uint64_t *inode);
void forget_listeners(void);

// spawner_processes.c: processes as /proc shows them.
struct process {
  pid_t pid;
  pid_t parent;
};
unsigned find_descendants(const struct process **found);
int read_file(const char *path, char *buffer, unsigned size);
const char *stat_fields(pid_t pid, char *buffer, unsigned size);
int loses_signal(pid_t pid, int number);

// spawner_tree.c: the end of a process tree.
void join_cgroup(const char *run_directory);
void leave_cgroup(void);
int reap(struct launch *launch);
void stop_tree(struct launch *launch);
void kill_tree(struct launch *launch);
extern int members;

// spawner_figures.c
void take_exit_figures(struct launch *launch);
void take_live_figures(struct launch *launch);

// spawner_chosen.c: the peak memory of one program of the launch.
int has_chosen(const struct launch *launch);
int is_chosen(const struct launch *launch, pid_t pid);
void open_exits(const struct launch *launch);
int64_t chosen_exit_peak(const struct launch *launch, int *error);

// spawner_counters.c
void open_counters(struct launch *launch);
void take_counters(struct launch *launch);
void close_counters(struct launch *launch);

// spawner_trace.c: when the program reaches its first places.
int is_traced(const struct launch *launch);
void open_trace(struct launch *launch);
void ask_for_trace(struct launch *launch, sigset_t *blocked);
int trace_descriptor(void);
void follow(struct launch *launch);
void handle_stop(struct launch *launch, int code);
void add_hit(int64_t *hits, int64_t now);
void take_trace(struct launch *launch);
void close_trace(void);

// spawner_trace_events.c: breakpoints of perf events.
void open_trace_events(struct launch *launch);
int add_trace_event(struct launch *launch, int place, uint64_t address);
void take_trace_events(struct launch *launch, const uint64_t *addresses);
void close_trace_events(void);

// spawner_trace_stop.c: how long the target was kept from running.
void open_stop(void);
void take_stop(struct launch *launch);
void close_stop(void);

// spawner_trace_registers.c: breakpoints of ptrace(2).
int set_breakpoints(pid_t pid, const uint64_t *addresses, int32_t *errors);
void clear_breakpoints(pid_t pid);
uint64_t breakpoint_hit(pid_t pid);

// spawner_faults.c: the major faults.
enum { FAULT_RING_LIMIT = 256 };
void prepare_faults(const struct launch *launch);
void open_faults(struct launch *launch);
void take_faults(struct launch *launch);
int fault_pieces(struct iovec *pieces);
void close_faults(void);

#endif
