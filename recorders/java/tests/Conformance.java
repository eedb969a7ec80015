import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import omnilink.Call;
import omnilink.ModelValue;
import omnilink.Recorder;
import omnilink.RecordingException;
import omnilink.ThreadLog;

/** What a recorder has to get right, one part for each argument: {@code Conformance PART FOLDER}. */
public final class Conformance {
    enum Colour { RED }

    record Point(int x, List<String> names) {}

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[1]);
        switch (args[0]) {
            case "values" -> values(folder);
            case "threads" -> threads(folder, Integer.parseInt(args[2]));
            case "halt" -> halt(folder);
            case "pending" -> pending(folder);
            case "misuse" -> misuse(folder);
            case "cost" -> cost(folder);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void values(Path folder) {
        try (Recorder recorder = Recorder.create(folder, Map.of("seed", 42))) {
            ThreadLog log = recorder.thread("t\"1\"");
            Object[] all = {
                null, true, 1, Long.MIN_VALUE, 1.5, new BigInteger("18446744073709551616"), "a \u00e9 \ud83d\ude00 \n \u0001", 'c',
                Colour.RED, List.of(1, 2), new int[] {3}, Set.of(4), Map.of("k", 5), new TreeMap<>(Map.of(6, "six")),
                Map.of("$set", 7), Optional.of(8), Optional.empty(), new Point(9, List.of("n")), new ModelValue("n1"), "\ud800",
            };
            for (Object value : all) {
                try (Call call = log.call("echo", value == null ? Map.of() : Map.of("value", value))) {
                    call.end(value, Map.of("node", 1));
                }
            }
        }
    }

    private static void threads(Path folder, int count) throws Exception {
        ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
        try (Recorder recorder = Recorder.create(folder)) {
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < count; number++) {
                int own = number;
                threads.add(new Thread(() -> {
                    ThreadLog log = recorder.thread(own);
                    for (int round = 0; round < 20; round++) {
                        int value = own * 1000 + round;
                        log.record("enqueue", Map.of("value", value), () -> { queue.add(value); });
                        try {
                            log.record("dequeue", Map.of(), queue::poll);
                        } catch (Exception error) {
                            throw new IllegalStateException(error);
                        }
                    }
                    // An interrupt must not end the recording of others.
                    Thread.currentThread().interrupt();
                    log.record("enqueue", Map.of("value", own * 1000 + 999), () -> { queue.add(own * 1000 + 999); });
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    /** The process ends in the middle of a call. */
    private static void halt(Path folder) {
        ThreadLog log = Recorder.create(folder).thread(0);
        log.record("write", Map.of("value", 1), () -> {});
        log.call("write", Map.of("value", 2));
        Runtime.getRuntime().halt(9);
    }

    /** A call that throws, one that is aborted, and one that is cancelled. */
    private static void pending(Path folder) {
        try (Recorder recorder = Recorder.create(folder)) {
            ThreadLog log = recorder.thread(3);
            try {
                log.record("write", Map.of("value", 1), (Runnable) () -> { throw new IllegalStateException("no reply"); });
            } catch (IllegalStateException expected) {
                log.call("write", Map.of("value", 2)).abort();
            }
            log.call("write", Map.of("value", 3)).cancel();
            log.record("write", Map.of("value", 4), () -> {});
        }
    }

    /** Prints what each mistake leads to. */
    private static void misuse(Path folder) {
        Recorder recorder = Recorder.create(folder);
        tried(() -> Recorder.create(folder));
        ThreadLog log = recorder.thread(0);
        tried(() -> recorder.thread(1.5));
        tried(() -> log.call("f", Map.of("x", Double.NaN)));
        tried(() -> log.call("f", Map.of("x", new Object())));
        List<Object> self = new ArrayList<>();
        self.add(self);
        tried(() -> log.call("f", Map.of("x", self)));
        Call call = log.call("f", Map.of());
        tried(() -> log.call("g", Map.of()));
        call.end(1);
        tried(() -> call.end(2));
        log.call("h", Map.of()).end(new Object());
        tried(recorder::close);
        tried(() -> recorder.thread(2));
        tried(() -> log.call("f", Map.of()));
    }

    private static void tried(Runnable mistake) {
        try {
            mistake.run();
            System.out.println("nothing");
        } catch (IllegalArgumentException | IllegalStateException | RecordingException error) {
            System.out.println(error.getClass().getSimpleName() + ": " + error.getMessage());
        }
    }

    /** Nanoseconds of one recorded operation. */
    private static void cost(Path folder) throws Exception {
        int count = 200_000;
        try (Recorder recorder = Recorder.create(folder)) {
            ThreadLog log = recorder.thread(0);
            Map<String, Integer> args = Map.of("value", 3);
            for (int round = 0; round < 5; round++) {
                long start = System.nanoTime();
                for (int at = 0; at < count; at++) {
                    log.record("write", args, () -> {});
                }
                System.out.println((System.nanoTime() - start) / count + " ns per operation");
            }
        }
    }
}
