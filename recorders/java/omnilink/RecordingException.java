package omnilink;

import java.io.IOException;
import java.nio.file.Path;

/** Recording cannot begin, or stopped early: the trace is not the whole run. */
public final class RecordingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RecordingException(Path file, String problem, IOException cause) {
        super(file + ": " + problem + (cause == null ? "" : ": " + cause.getMessage()), cause);
    }

    RecordingException(String message, RecordingException cause) {
        super(message, cause);
    }
}
