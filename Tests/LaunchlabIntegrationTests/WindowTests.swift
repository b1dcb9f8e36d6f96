import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Programs with windows, on X servers of the runs' own.
  @Suite(.enabled(if: Machine.has("Xvfb"), "Xvfb is not installed")) struct WindowTests {
    /// A client that shows a window, and then waits for its end.
    ///
    /// Arguments: milliseconds before the window, those between window and content, and the kind.
    private static let source = """
      #include <stdlib.h>
      #include <string.h>
      #include <time.h>
      #include <unistd.h>
      #include <xcb/xcb.h>

      static xcb_connection_t *connection;
      static xcb_screen_t *screen;

      static void rest(int milliseconds) {
        nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, 0);
      }

      static void settle(void) {
        free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), 0));
      }

      static xcb_window_t window(const char *title, const char *type) {
        xcb_window_t window = xcb_generate_id(connection);
        uint32_t white = screen->white_pixel;
        xcb_create_window(connection, XCB_COPY_FROM_PARENT, window, screen->root, 0, 0, 400, 300, 0,
                          XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, XCB_CW_BACK_PIXEL,
                          &white);
        xcb_change_property(connection, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_NAME,
                            XCB_ATOM_STRING, 8, strlen(title), title);
        xcb_change_property(connection, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_CLASS,
                            XCB_ATOM_STRING, 8, 11, "demo\\0Client");
        if (type) {
          const char *names[] = {"_NET_WM_WINDOW_TYPE", type};
          xcb_atom_t atoms[2];
          for (int index = 0; index < 2; index++) {
            xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(
              connection, xcb_intern_atom(connection, 0, strlen(names[index]), names[index]), 0);
            atoms[index] = reply->atom;
            free(reply);
          }
          xcb_change_property(connection, XCB_PROP_MODE_REPLACE, window, atoms[0], XCB_ATOM_ATOM, 32,
                              1, &atoms[1]);
        }
        xcb_map_window(connection, window);
        return window;
      }

      static void fill(xcb_window_t window) {
        xcb_gcontext_t context = xcb_generate_id(connection);
        uint32_t red = 0xff0000;
        xcb_create_gc(connection, context, window, XCB_GC_FOREGROUND, &red);
        xcb_rectangle_t all = {0, 0, 400, 300};
        xcb_poly_fill_rectangle(connection, window, context, 1, &all);
      }

      static void draw(xcb_window_t window, int width) {
        xcb_gcontext_t context = xcb_generate_id(connection);
        uint32_t black = screen->black_pixel;
        xcb_create_gc(connection, context, window, XCB_GC_FOREGROUND, &black);
        xcb_rectangle_t box = {10, 10, width, 200};
        xcb_poly_fill_rectangle(connection, window, context, 1, &box);
      }

      int main(int count, char **arguments) {
        const char *kind = arguments[3];
        connection = xcb_connect(0, 0);
        if (xcb_connection_has_error(connection)) return 3;
        screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
        rest(atoi(arguments[1]));
        if (strcmp(kind, "none") == 0) for (;;) pause();
        if (strcmp(kind, "splash") == 0) {
          draw(window("Splash", "_NET_WM_WINDOW_TYPE_SPLASH"), 100);
          settle();
          rest(40);
        }
        if (strcmp(kind, "hidden") == 0) {
          xcb_unmap_window(connection, window("Hidden", 0));
          settle();
          rest(40);
        }
        xcb_window_t main = window("Main", 0);
        settle();
        if (strcmp(kind, "crash") == 0) abort();
        rest(atoi(arguments[2]));
        if (strcmp(kind, "many") == 0) {
          // All of it at first, in one color; then much on the same place.
          fill(main);
          settle();
          rest(200);
          for (int box = 0; box < 600; box++) draw(main, 10 + box % 90);
          settle();
          rest(200);
        }
        if (strcmp(kind, "plain") != 0) {
          draw(main, strcmp(kind, "many") == 0 ? 350 : 100);
          settle();
        }
        if (strcmp(kind, "busy") == 0)
          for (int step = 0; step < 3; step++) {
            rest(50);
            draw(main, 150 + 50 * step);
            settle();
          }
        for (;;) pause();
      }
      """

    private func client(in lab: Launchlab) throws -> CompiledProgram {
      try CompiledProgram(Self.source, name: "client", in: lab.directory, options: ["-lxcb"])
    }

    private func scenario(_ keys: String, _ client: CompiledProgram, _ arguments: String) -> String
    {
      """
      scenario: windows
      targets:
        client:
          command: [\(client.path), \(arguments)]
          ready: \(keys)
          timeout: 3s
          stop: {signal: KILL}
      states: [warm]
      launches: 3
      """
    }

    private func text(_ path: String, in lab: Launchlab) throws -> String {
      try String(contentsOfFile: lab.path(path), encoding: .utf8)
    }

    private func times(_ name: String, _ arm: RunResult.Arm) throws -> [Int64] {
      try #require(arm.metrics[name] ?? nil, "no metric \(name)").values
    }

    @Test func `times the window, the frame and the last change of a client`() async throws {
      let lab = Launchlab()
      let client = try client(in: lab)
      try lab.write(scenario("{settled: 200ms}", client, "'20', '60', busy"), to: "s.yml")

      let output = try await lab.run("run", "s.yml", "--json", "-")

      #expect(output.status == 0, "\(output.stderr)")
      let result = try RunResult(output.stdout)
      let arm = try #require(result.arm("warm"))
      #expect(arm.outcomes == ["ready": 3])
      let (windows, frames, settled) = try (
        times("window", arm), times("frame", arm), times("settled", arm)
      )
      #expect(settled == (try times("launch", arm)))
      for index in windows.indices {
        // What the client waited for in between, or a part of it: on a busy machine events are
        // read late.
        #expect(windows[index] >= 20_000_000)
        #expect(frames[index] - windows[index] >= 30_000_000)
        #expect(settled[index] - frames[index] >= 75_000_000)
      }
      let display = try #require(result.run.controls.first { $0.name == "display" })
      #expect(display.after?.hasPrefix("x11, headless, 1920x1080") == true)
    }

    @Test func `a fill is no content, and many drawings hide no later one`() async throws {
      let lab = Launchlab()
      let client = try client(in: lab)
      try lab.write(scenario("{settled: 500ms}", client, "'0', '20', many"), to: "s.yml")

      let output = try await lab.run("run", "s.yml", "--json", "-")

      #expect(output.status == 0, "\(output.stderr)")
      let arm = try #require(try RunResult(output.stdout).arm("warm"))
      let (windows, frames, settled) = try (
        times("window", arm), times("frame", arm), times("settled", arm)
      )
      for index in windows.indices {
        // Less than the client rests: on a busy machine its events are read late.
        #expect(frames[index] - windows[index] >= 110_000_000)
        #expect(settled[index] - frames[index] >= 100_000_000)
      }
    }

    @Test func `films how the window looks until it has settled`() async throws {
      let lab = Launchlab()
      let client = try client(in: lab)
      try lab.write(scenario("{settled: 200ms}", client, "'20', '60', busy"), to: "s.yml")

      let output = try await lab.run("run", "s.yml", "--json", "result.json", "--film", "film.svg")

      #expect(output.status == 0, "\(output.stderr)")
      let result = try RunResult(text("result.json", in: lab))
      let arm = try #require(result.arms.first { $0.kind == "film" })
      let (indices, settled) = try (times("speed_index", arm), times("settled", arm))
      #expect(indices.count == 3)
      for (index, last) in zip(indices, settled) {
        // Of what is there in the end, 2/5 are drawn first, and then a fifth every 50 ms: 90 ms
        // before the last change.
        #expect(index < last - 30_000_000)
        #expect(index > last - 400_000_000)
      }
      #expect(result.arms.first { $0.kind == "plain" }?.metrics["speed_index"] == nil)
      let strip = try text("film.svg", in: lab)
      #expect(strip.contains("data:image/png;base64,iVBORw0KGgo"))
      let report = try text("report/latest.md", in: lab)
      #expect(report.contains("**client warm:** tonight Speed Index"))
      let picture = try #require(report.firstMatch(of: #/src="(img/[^"]*-film-1.svg)"/#)).1
      #expect(try text("report/\(picture)", in: lab).contains("tonight: Speed Index"))
    }

    @Test(arguments: [
      ("frame", "splash", 40_000_000), ("frame", "hidden", 40_000_000),
      ("window", "splash", 40_000_000), ("{window: {title: ^Spl}}", "splash", 0),
      ("{frame: {class: Client, nth: 2}}", "splash", 40_000_000),
    ])
    func `a window with content is no splash screen, and none that was hidden again`(
      condition: String,
      kind: String,
      floor: Int64
    ) async throws {
      let lab = Launchlab()
      let client = try client(in: lab)
      try lab.write(scenario(condition, client, "'0', '0', \(kind)"), to: "s.yml")

      let output = try await lab.run("run", "s.yml", "--json", "-")

      #expect(output.status == 0, "\(output.stderr)")
      let arm = try #require(try RunResult(output.stdout).arm("warm"))
      #expect(try times("window", arm).min() ?? 0 >= floor)
    }

    @Test(arguments: [
      (
        "frame", "plain",
        ["window \"Main\" (demo Client, 400x300): mapped after", "one color only"]
      ),
      ("window", "none", ["it made no window on the display"]),
      ("{window: {title: Mail}}", "draw", ["window \"Main\"", "check `title`, `class` and `nth`"]),
      ("frame", "crash", ["ended by signal 6"]),
    ])
    func `says which windows it saw when none was the one`(
      condition: String,
      kind: String,
      words: [String]
    ) async throws {
      let lab = Launchlab()
      let client = try client(in: lab)
      try lab.write(scenario(condition, client, "'0', '0', \(kind)"), to: "s.yml")

      let output = try await lab.run("run", "s.yml")

      #expect(output.status == 128)
      for word in words { #expect(output.stderr.contains(word), "\(output.stderr)") }
    }

    @Test func `stages divide main to ready by the window`() async throws {
      let lab = Launchlab()
      let client = try client(in: lab)

      let output = try await lab.run(
        "stages --launches 5 --ready frame -- \(client.path) 30 30 draw"
      )

      #expect(output.status == 0, "\(output.stderr)")
      for words in [
        "the window, tasks, marks", "until the window was created", "until it had content",
      ] {
        #expect(output.stdout.contains(words), "\(output.stdout)")
      }
    }

    @Test func `names what is missing for a display`() async throws {
      let lab = Launchlab()
      try lab.write("", to: "bin/nothing")
      var poor = lab
      poor.wrapper = ["env", "PATH=\(lab.path("bin"))"]

      let missing = try await poor.run("measure", "--ready", "frame", "--", "/usr/bin/perl")
      let session = try await lab.run("measure --display x11:session --ready frame -- perl")

      #expect(missing.status == 128)
      #expect(missing.stderr.contains("needs Xvfb, which is not in PATH"))
      #expect(missing.stderr.contains("apt-get install xvfb"))
      #expect(session.status == 128)
      #expect(session.stderr.contains("DISPLAY is not set") || session.stderr.contains("cannot"))
    }

    @Test(.enabled(if: Machine.has("dbus-daemon"), "dbus-daemon is not installed"))
    func `each launch has a session of its own, also where it waits for no window`() async throws {
      let lab = Launchlab()
      let client = try client(in: lab)
      try lab.write(
        """
        set -e
        test -z "$(ls -A "$XDG_RUNTIME_DIR" | grep -vE '^(bus|dbus-1)$')"
        touch "$XDG_RUNTIME_DIR/used"
        dbus-send --session --dest=org.freedesktop.DBus --print-reply / org.freedesktop.DBus.GetId \
          | tail -n 1 >>buses
        exec "$@"
        """,
        to: "look"
      )
      try lab.write(
        """
        scenario: sessions
        display: {x11: headless}
        targets:
          window: {command: [sh, look, \(client.path), '0', '0', draw], ready: frame}
          exit: {command: [sh, look, 'true']}
        states: [warm]
        launches: 2
        """,
        to: "s.yml"
      )

      let output = try await lab.run("run", "s.yml", "--json", "-")

      #expect(output.status == 0, "\(output.stderr)")
      let arms = try RunResult(output.stdout).arms
      #expect(arms.map(\.outcomes) == [["ready": 2], ["ready": 2]])
      let buses = try String(contentsOfFile: lab.path("buses"), encoding: .utf8)
        .split(separator: "\n")
      #expect(buses.count >= 4)
      #expect(Set(buses).count == buses.count)
    }

    @Test func `goes on when the spawner is killed, and ends with launchlab`() async throws {
      let lab = Launchlab()
      let client = try client(in: lab)
      let arguments = ["measure", "--ready", "frame", "--launches", "30", "--", client.path]
      let session = try lab.start(arguments + ["0", "20", "draw"])
      try #require(try await eventually { session.processes.contains { $0.contains("Xvfb") } })
      #expect(try await lab.killSpawner(of: session))

      let output = try await session.finish()

      #expect(output.status == 0, "\(output.stderr)")
      #expect(session.leftovers == [])

      let killed = try lab.start(arguments + ["0", "200", "draw"])
      try #require(try await eventually { killed.processes.contains { $0.contains("Xvfb") } })
      killed.send(SIGKILL)
      #expect(try await eventually { killed.processes.isEmpty }, "\(killed.processes)")
      _ = killed.tool.finish()
      _ = try await lab.start(["restore"]).finish()
      #expect(killed.leftovers == [])
    }

    @Test(.enabled(if: Machine.canBecomeNobody, "setpriv is not installed, or not root"))
    func `needs no rights, and keeps its display when a launch is lost`() async throws {
      let nobody = try Launchlab.asNobody()
      let client = try client(in: nobody)
      let session = try nobody.start(
        ["measure", "--ready", "frame", "--launches", "30", "--", client.path, "0", "20", "draw"]
      )
      try #require(try await eventually { session.processes.contains { $0.contains("Xvfb") } })
      #expect(try await nobody.killSpawner(of: session))

      let output = try await session.finish()

      #expect(output.status == 0, "\(output.stderr)")
      #expect(session.leftovers == [])
    }

    @Test(
      .enabled(if: Machine.has("weston"), "weston is not installed"),
      .enabled(if: Machine.has("weston-simple-shm"), "weston-simple-shm is not installed")
    )
    func `times a client of a Wayland compositor`() async throws {
      let lab = Launchlab()

      let output = try await lab.run(
        "measure --ready frame --display wayland --launches 3 --json - -- weston-simple-shm"
      )

      #expect(output.status == 0, "\(output.stderr)")
      let arm = try #require(try RunResult(output.stdout).arm("warm"))
      #expect(try times("frame", arm).count == 3)
    }
  }
}
