package omnilink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Records the operations of a running system as a trace: a new folder with one file for each thread.
 *
 * <pre>{@code
 * try (Recorder recorder = Recorder.create(Path.of("traces/run-1"), Map.of("seed", 42))) {
 *     ThreadLog log = recorder.thread(0);            // in each thread
 *     int value = log.record("dequeue", Map.of(), queue::poll);
 * }
 * }</pre>
 *
 * What has ended survives {@code kill -9}; what was under way is pending.
 */
public final class Recorder implements AutoCloseable {
    private final Path folder;
    private final String header;
    private final Stop stop = new Stop();
    private final List<ThreadLog> logs = new ArrayList<>();
    private boolean isClosed;

    private Recorder(Path folder, String header) {
        this.folder = folder;
        this.header = header;
    }

    /** Creates the folder of a trace, which must be new or empty. */
    public static Recorder create(Path folder) {
        return create(folder, Map.of());
    }

    /**
     * Creates the folder of a trace, which must be new or empty.
     *
     * @param header what is known about the run: seed, command, host
     * @throws RecordingException if the folder has something in it, or cannot be made
     * @throws IllegalArgumentException if the header has a value that cannot be recorded, or a name that the recorder writes itself
     */
    public static Recorder create(Path folder, Map<String, ?> header) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("omnilink", 1);
        all.put("unit", "ns");
        all.put("clock", "monotonic");
        header.forEach((name, value) -> {
            if (all.containsKey(name)) {
                throw new IllegalArgumentException("the header field " + name + " is written by the recorder; choose another name");
            }
            all.put(name, value);
        });
        String text = new Json().members(all).toString();
        try {
            Files.createDirectories(folder);
            try (Stream<Path> files = Files.list(folder)) {
                if (files.findAny().isPresent()) {
                    throw new RecordingException(folder, "the folder is not empty, and a folder is one trace; choose another", null);
                }
            }
        } catch (IOException error) {
            throw new RecordingException(folder, "a trace needs a folder of its own", error);
        }
        return new Recorder(folder, text);
    }

    /**
     * The log of a thread, a session or a client that makes one call at a time. To be used by one thread at a time.
     *
     * @param thread a number or a string; one log for each
     * @throws IllegalArgumentException if it is anything else, has a log already, is empty, or has a ', which marks a thread after a pending call
     */
    public synchronized ThreadLog thread(Object thread) {
        if (isClosed) {
            throw new IllegalStateException("the recorder is closed");
        }
        if (!(thread instanceof String || thread instanceof Integer || thread instanceof Long)) {
            throw new IllegalArgumentException("a thread is a number or a string, not " + thread);
        }
        String label = thread.toString();
        if (label.isEmpty() || label.contains("'")) {
            throw new IllegalArgumentException("a thread cannot be called \"" + label + "\": the name is empty, or has a '");
        }
        if (logs.stream().anyMatch(log -> log.thread().toString().equals(label))) {
            throw new IllegalArgumentException("the thread " + label + " has a log already; each thread needs a name of its own");
        }
        LineFile file = new LineFile(folder.resolve(logs.size() + ".ndjson"), stop);
        file.append(header);
        ThreadLog log = new ThreadLog(file, thread);
        logs.add(log);
        return log;
    }

    /**
     * Ends the recording. Calls that have not ended stay pending.
     *
     * @throws RecordingException if something could not be recorded
     */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        logs.forEach(ThreadLog::close);
        stop.check();
    }
}
