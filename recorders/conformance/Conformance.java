import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import omnilink.Call;
import omnilink.ModelValue;
import omnilink.Recorder;
import omnilink.RecordingException;
import omnilink.ThreadLog;

/** The conformance program in Java: {@code Conformance PART FOLDER}. What each part does: README.md. */
public final class Conformance {
    record Sample(int x, List<String> names) {}

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[1]);
        try {
            Recorder recorder = Recorder.create(folder, Map.of("seed", 42));
            switch (args[0]) {
                case "calls" -> calls(recorder);
                case "values" -> values(recorder);
                case "texts" -> texts(recorder);
                case "threads" -> threads(recorder, 100, 50);
                case "full" -> threads(recorder, 4, 25_000);
                case "die" -> die(recorder);
                case "race" -> race(recorder);
                case "misuse" -> {
                    misuse(recorder, folder);
                    return;
                }
                case "cost" -> cost(recorder);
                default -> throw new IllegalArgumentException(args[0]);
            }
            recorder.close();
        } catch (RecordingException error) {
            System.out.println("ERROR " + error.getMessage());
            System.exit(3);
        }
    }

    private static void calls(Recorder recorder) throws Exception {
        ThreadLog one = recorder.thread(1);
        ThreadLog main = recorder.thread("main");
        one.record("write", Map.of("value", 1), () -> { });
        one.record("read", Map.of(), () -> 1);
        Map<String, Object> cas = new LinkedHashMap<>();
        cas.put("from", 1);
        cas.put("to", 2);
        one.record("cas", cas, () -> true);
        one.call("refused", Map.of()).abort();
        one.call("another", Map.of("value", 1)).cancel();
        one.call("noted", Map.of("value", 2)).end(3, Map.of("node", 4));
        Call narrow = one.call("narrow", Map.of());
        narrow.tightenEnd();
        Thread.sleep(20);
        narrow.end();
        one.call("lost", Map.of()).close();
        one.record("after", Map.of(), () -> { });
        main.call("hello", Map.of()).end(null);
    }

    private static Object nested(int depth) {
        return depth == 0 ? List.of() : List.of(nested(depth - 1));
    }

    private static void values(Recorder recorder) {
        ThreadLog log = recorder.thread(0);
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("null", null);
        values.put("true", true);
        values.put("false", false);
        values.put("zero", 0);
        values.put("negative", -1);
        values.put("exact", (1L << 53) + 1);
        values.put("least", Long.MIN_VALUE);
        values.put("greatest", Long.MAX_VALUE);
        values.put("unsigned", BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE));
        values.put("huge", BigInteger.ONE.shiftLeft(64));
        values.put("empty text", "");
        values.put("text", "a \u00e9 \ud83d\ude00 \n \u0001 \" \\");
        values.put("list", List.of(1, List.of(2, List.of())));
        values.put("bytes", new byte[] {0, 127, -1});
        values.put("record", new Sample(1, List.of("n")));
        values.put("function", Map.of(1, "one"));
        values.put("dollar", Map.of("$set", 7));
        values.put("set", Set.of(1, 2));
        values.put("empty set", Set.of());
        values.put("empty list", List.of());
        values.put("model", new ModelValue("n1"));
        values.put("deep", nested(25));
        values.forEach((name, value) -> {
            Map<String, Object> args = new LinkedHashMap<>();
            args.put("value", value);
            log.call(name, args).end(value);
        });
    }

    private static void texts(Recorder recorder) {
        ThreadLog log = recorder.thread(0);
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("half", "a\ud800b");
        texts.put("other half", "a\udfffb");
        texts.put("looks like one", "a\\ud800b");
        texts.put("looks like a byte", "\\xff");
        texts.put("path", "C:\\users\\xyz");
        texts.put("nul", "a\0b");
        texts.forEach((name, text) -> log.call(name, Map.of("value", Map.of(text, text))).end(text));
    }

    private static void threads(Recorder recorder, int count, int rounds) throws InterruptedException {
        AtomicLong counter = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            int own = number;
            threads.add(new Thread(() -> {
                ThreadLog log = recorder.thread(own);
                // An interrupt must not end the recording of others.
                Thread.currentThread().interrupt();
                for (int round = 0; round < rounds; round++) {
                    Call call = log.call("next", Map.of());
                    call.end(counter.getAndIncrement());
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("DONE " + counter);
    }

    private static void die(Recorder recorder) throws InterruptedException {
        ThreadLog log = recorder.thread(0);
        for (int i = 0; i < 1000; i++) {
            log.call("op", Map.of("i", i)).end(i);
        }
        log.call("op", Map.of("i", 1000));
        System.out.println("open");
        Thread.sleep(600_000);
    }

    private static void race(Recorder recorder) throws InterruptedException {
        for (int number = 0; number < 2; number++) {
            int own = number;
            new Thread(() -> {
                ThreadLog log = recorder.thread(own);
                for (int i = 0;; i++) {
                    log.call("op", Map.of("i", i)).end(i);
                    if (i % 64 == 63) {
                        System.out.println(own + " " + i);
                    }
                }
            }).start();
        }
        Thread.sleep(600_000);
    }

    private static void misuse(Recorder recorder, Path folder) {
        ThreadLog log = recorder.thread(0);
        List<Object> own = new ArrayList<>();
        own.add(own);
        own.add(own);
        Object shared = List.of(1);
        for (int level = 0; level < 60; level++) {
            shared = List.of(shared, shared);
        }
        Object doubled = shared;
        tried("header", () -> Recorder.create(folder.resolveSibling("other"), Map.of("unit", "s")));
        tried("label type", () -> recorder.thread(1.5));
        tried("label taken", () -> recorder.thread("0"));
        tried("label form", () -> recorder.thread("0'1"));
        tried("nan", () -> log.call("f", Map.of("x", Double.NaN)));
        tried("infinity", () -> log.call("f", Map.of("x", List.of(Float.NEGATIVE_INFINITY))));
        tried("type", () -> log.call("f", Map.of("x", new Object())));
        tried("no name", () -> log.call(null, Map.of()));
        tried("cycle", () -> log.call("f", Map.of("x", own)));
        tried("shared", () -> log.call("f", Map.of("x", doubled)));
        Call call = log.call("f", Map.of());
        tried("open", () -> log.call("g", Map.of()));
        call.end(1);
        tried("ended", () -> call.end(2));
        log.call("h", Map.of()).end(new Object());
        Call late = log.call("late", Map.of());
        tried("result", recorder::close);
        tried("closed end", () -> late.end(1));
        tried("closed thread", () -> recorder.thread(2));
        tried("closed call", () -> log.call("f", Map.of()));
    }

    private static void tried(String name, Runnable mistake) {
        try {
            mistake.run();
            System.out.println(name + ": nothing");
        } catch (IllegalArgumentException | IllegalStateException | RecordingException error) {
            System.out.println(name + ": " + error.getMessage());
        }
    }

    private static void cost(Recorder recorder) {
        ThreadLog log = recorder.thread(0);
        Map<String, Integer> args = Map.of("value", 3);
        var clock = ManagementFactory.getThreadMXBean();
        for (int batch = 0; batch < 5; batch++) {
            long start = clock.getCurrentThreadCpuTime();
            for (int at = 0; at < 100_000; at++) {
                log.call("write", args).end();
            }
            System.out.println("COST " + (clock.getCurrentThreadCpuTime() - start) / 100_000);
        }
    }
}
