package omnilink;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether a recording has stopped, for all of its files: if one thread cannot record, no other goes on. An operation that is recorded might otherwise
 * depend on one that is not, and look like a violation.
 */
final class Stop {
    private volatile RecordingException reason;
    private final AtomicLong lost = new AtomicLong();

    boolean isStopped() {
        return reason != null;
    }

    /** Stops the recording. The system under test goes on. */
    synchronized void because(Path file, String problem, IOException error) {
        if (reason == null) {
            reason = new RecordingException(file, problem, error);
        }
    }

    /** An operation begins that is not recorded. */
    void lose() {
        lost.incrementAndGet();
    }

    /** @throws RecordingException if recording stopped */
    void check() {
        if (reason != null) {
            throw new RecordingException("recording stopped, and " + lost + " operations are missing: " + reason.getMessage(), reason);
        }
    }
}
