package omnilink;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The log of one node of a distributed program, for {@code omnilink validate SPEC LOG}: which action of a specification happened, and what is
 * known of its arguments and of variables. What is left out is unknown.
 *
 * <pre>{@code
 * SpecLog log = SpecLog.create(Path.of("logs/tm.ndjson"), "tm");
 * log.event("TMRcvPrepared").arg("rm-1").add("tmPrepared", "rm-1").write();
 * }</pre>
 *
 * Lines are ordered by a clock: a vector clock if clocks are sent with messages ({@link #send}, {@link #receive}), which is the order that can be known
 * between machines; or one number for all nodes of a process ({@link Clock}).
 */
public final class SpecLog implements AutoCloseable {
    /** A clock that all nodes of one process share. */
    public static final class Clock {
        private long now;

        private synchronized long tick() {
            return now++;
        }
    }

    private final LineFile file;
    private final String node;
    private final Clock shared;
    private final Map<String, Long> vector = new LinkedHashMap<>();
    private boolean isClosed;

    private SpecLog(Path path, String node, Clock shared) {
        this.file = new LineFile(path, new Stop());
        this.node = node;
        this.shared = shared;
    }

    /** A log with a vector clock. */
    public static SpecLog create(Path path, String node) {
        return new SpecLog(path, node, null);
    }

    /** A log with a clock that other logs of this process share. */
    public static SpecLog create(Path path, String node, Clock shared) {
        return new SpecLog(path, node, shared);
    }

    /** An event that is a step of this action. */
    public SpecEvent event(String action) {
        return new SpecEvent(this, action);
    }

    /** A step of any action. */
    public SpecEvent step() {
        return new SpecEvent(this, null);
    }

    /** The clock that goes with a message: everything that this node has logged so far. */
    public synchronized Map<String, Long> send() {
        return new LinkedHashMap<>(vector);
    }

    /** The clock that came with a message: what follows comes after what its sender had logged. */
    public synchronized void receive(Map<String, Long> clock) {
        clock.forEach((other, time) -> vector.merge(other, time, Math::max));
    }

    /** Writes a line. Under one lock, so that the lines of threads of this node are in the order of its clock. */
    synchronized void write(Json members) {
        if (isClosed) {
            throw new IllegalStateException("the log is closed");
        }
        Json line = new Json().raw("{").name("node").value(node).name("clock");
        if (shared == null) {
            vector.merge(node, 1L, Long::sum);
            line.value(vector);
            file.append(line + members.toString() + "}");
        } else {
            // The number is drawn and written under one lock, so that a shared clock has no gaps after a crash.
            synchronized (shared) {
                line.value(shared.tick());
                file.append(line + members.toString() + "}");
            }
        }
    }

    /** @throws RecordingException if something could not be written */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            file.close();
            file.stop().check();
        }
    }
}
