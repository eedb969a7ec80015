import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;

/**
 * Runs a program many times, and keeps each history that is different.
 *
 * <p>Which call returned before which other began is told by counters, not by a clock: each thread adds one to its own when it calls and one when the
 * call returned, and reads all of them before it calls. A counter that is read late loses order, and never adds any.
 */
final class Stress {
    /** Runs between two looks at the clock. */
    private static final int BATCH = 32;
    /** Counters are this far apart, so that threads do not wait for each other's. */
    private static final int APART = 16;

    /** An object and what the threads of a program saw of it. */
    private static final class Run {
        final Object target;
        final AtomicInteger waiting = new AtomicInteger();
        final AtomicIntegerArray counters;
        final Object[][] results;
        final int[][][] readings;

        Run(Object target, List<List<Method.Call>> threads) {
            this.target = target;
            this.counters = new AtomicIntegerArray(threads.size() * APART);
            this.results = new Object[threads.size()][];
            this.readings = new int[threads.size()][][];
            for (int thread = 0; thread < threads.size(); thread++) {
                int calls = threads.get(thread).size();
                results[thread] = new Object[calls];
                readings[thread] = new int[calls][threads.size()];
            }
        }

        /** Makes the calls of a thread. */
        void calls(int thread, List<Method.Call> calls) {
            for (int at = 0; at < calls.size(); at++) {
                int[] reading = readings[thread][at];
                for (int other = 0; other < reading.length; other++) {
                    reading[other] = counters.getAcquire(other * APART);
                }
                counters.setRelease(thread * APART, 2 * at + 1);
                results[thread][at] = calls.get(at).on(target);
                counters.setRelease(thread * APART, 2 * at + 2);
            }
        }

        /** Waits for the other threads, and then a moment that is different each time. */
        void begin(int threads) {
            waiting.incrementAndGet();
            for (int spins = 0; waiting.get() < threads; spins++) {
                if (spins < 500) {
                    Thread.onSpinWait();
                } else {
                    // On a machine with fewer processors than threads.
                    Thread.yield();
                }
            }
            for (int pause = ThreadLocalRandom.current().nextInt(60); pause > 0; pause--) {
                Thread.onSpinWait();
            }
        }
    }

    private final Supplier<Object> make;
    private final Program program;
    /** All threads: those that run together, and the one before them. */
    private final List<List<Method.Call>> threads;

    private Stress(Supplier<Object> make, Program program) {
        this.make = make;
        this.program = program;
        this.threads = new ArrayList<>(program.threads());
        if (!program.setup().isEmpty()) {
            this.threads.add(program.setup());
        }
    }

    /** The different histories of a program that were seen in so many nanoseconds, with how often each was seen. */
    static Map<History, Integer> histories(Supplier<Object> make, Program program, long nanoseconds) throws InterruptedException {
        Stress stress = new Stress(make, program);
        Map<History, Integer> histories = new HashMap<>();
        long end = System.nanoTime() + nanoseconds;
        do {
            for (Run run : stress.batch()) {
                histories.merge(History.of(stress.threads, run.results, run.readings), 1, Integer::sum);
            }
        } while (System.nanoTime() < end);
        return histories;
    }

    private Run[] batch() throws InterruptedException {
        Run[] runs = new Run[BATCH];
        for (int at = 0; at < BATCH; at++) {
            runs[at] = new Run(make.get(), threads);
            if (!program.setup().isEmpty()) {
                runs[at].calls(threads.size() - 1, program.setup());
            }
        }
        int together = program.threads().size();
        List<Thread> workers = new ArrayList<>();
        for (int number = 0; number < together; number++) {
            int thread = number;
            workers.add(new Thread(() -> {
                for (Run run : runs) {
                    run.begin(together);
                    run.calls(thread, threads.get(thread));
                }
            }));
        }
        workers.forEach(Thread::start);
        for (Thread worker : workers) {
            worker.join();
        }
        return runs;
    }
}
