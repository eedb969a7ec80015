package omnilink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    private final List<ThreadLog> logs = new ArrayList<>();
    private boolean isClosed;

    private Recorder(Path folder, String header) {
        this.folder = folder;
        this.header = header;
    }

    /** Creates the folder of a trace, which must be new. */
    public static Recorder create(Path folder) {
        return create(folder, Map.of());
    }

    /**
     * Creates the folder of a trace, which must be new.
     *
     * @param header what is known about the run: seed, command, host
     * @throws RecordingException if the folder is there or cannot be made
     * @throws IllegalArgumentException if the header has a value that cannot be recorded
     */
    public static Recorder create(Path folder, Map<String, ?> header) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("omnilink", 1);
        all.put("unit", "ns");
        all.put("clock", "monotonic");
        header.forEach(all::putIfAbsent);
        String text = new Json().members(all).toString();
        try {
            if (folder.toAbsolutePath().getParent() != null) {
                Files.createDirectories(folder.toAbsolutePath().getParent());
            }
            Files.createDirectory(folder);
        } catch (IOException error) {
            throw new RecordingException(folder, "a trace needs a new folder", error);
        }
        return new Recorder(folder, text);
    }

    /**
     * The log of a thread, a session or a client that makes one call at a time. To be used by one thread at a time.
     *
     * @param thread a number or a string; one log for each
     */
    public synchronized ThreadLog thread(Object thread) {
        if (isClosed) {
            throw new IllegalStateException("the recorder is closed");
        }
        if (!(thread instanceof String || thread instanceof Integer || thread instanceof Long)) {
            throw new IllegalArgumentException("a thread is a number or a string, not " + thread);
        }
        LineFile file = new LineFile(folder.resolve(logs.size() + ".ndjson"));
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
        RecordingException first = null;
        for (ThreadLog log : logs) {
            try {
                log.close();
            } catch (RecordingException failure) {
                first = first == null ? failure : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
