package omnilink;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A file of lines that survives the end of its process: each line is written by one system call before anything else happens.
 *
 * <p>Not a channel: an interrupt of the writing thread would close it.
 */
final class LineFile {
    private final Path path;
    private final RandomAccessFile file;
    private RecordingException failure;

    LineFile(Path path) {
        this.path = path;
        try {
            this.file = new RandomAccessFile(path.toFile(), "rw");
        } catch (IOException error) {
            throw new RecordingException(path, "cannot be written", error);
        }
    }

    /** Appends a line. */
    void append(String line) {
        write(line + "\n");
    }

    /** Goes on with the last line, which ends with a brace, by one system call: it is whole before and after. */
    void extend(String more) {
        if (failure != null) {
            return;
        }
        try {
            file.seek(file.getFilePointer() - 2);
        } catch (IOException error) {
            fail("cannot be written", error);
            return;
        }
        write(more + "}\n");
    }

    /** Cuts the last line off, of which the length is known. */
    void removeLast(int length) {
        if (failure != null) {
            return;
        }
        try {
            long end = file.getFilePointer() - length;
            file.setLength(end);
            file.seek(end);
        } catch (IOException error) {
            fail("cannot be cut", error);
        }
    }

    private void write(String text) {
        if (failure != null) {
            return;
        }
        try {
            file.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException error) {
            fail("cannot be written", error);
        }
    }

    /** Stops recording. The system under test goes on. */
    void fail(String problem, IOException error) {
        if (failure == null) {
            failure = new RecordingException(path, problem, error);
        }
    }

    /** @throws RecordingException if something was not written */
    void close() {
        try {
            file.close();
        } catch (IOException error) {
            fail("cannot be closed", error);
        }
        if (failure != null) {
            throw failure;
        }
    }
}
