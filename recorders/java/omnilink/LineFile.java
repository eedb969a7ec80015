package omnilink;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file of lines that survives the end of its process: each line is written by one system call before anything else happens.
 *
 * <p>Not a channel: an interrupt of the writing thread would close it.
 */
final class LineFile {
    private static final String END = "}\n";
    private final Path path;
    private final RandomAccessFile file;
    private final Stop stop;
    /** Where the last line ends. */
    private long end;

    /** @throws RecordingException if there is such a file, or it cannot be made */
    LineFile(Path path, Stop stop) {
        this.path = path;
        this.stop = stop;
        try {
            // It must be new: what another process has written there would be mixed with this.
            Files.createFile(path);
            this.file = new RandomAccessFile(path.toFile(), "rw");
        } catch (FileAlreadyExistsException error) {
            throw new RecordingException(path, "there is such a file; choose another", null);
        } catch (IOException error) {
            throw new RecordingException(path, "cannot be written", error);
        }
    }

    Stop stop() {
        return stop;
    }

    /** Appends a line; how many bytes it has, or 0 if it was not written. */
    int append(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        return write(bytes, "") ? bytes.length : 0;
    }

    /** Goes on with the last line, which ends with a brace, by one system call: it is whole before and after. */
    void extend(String more) {
        write((more + END).getBytes(StandardCharsets.UTF_8), END);
    }

    /** Cuts the last line off, of which the length is known. */
    void removeLast(int length) {
        if (stop.isStopped()) {
            return;
        }
        try {
            file.setLength(end - length);
            end -= length;
        } catch (IOException error) {
            fail("cannot be cut", error);
        }
    }

    /** Writes over the last bytes of the file, which are {@code old}. */
    private boolean write(byte[] bytes, String old) {
        if (stop.isStopped()) {
            return false;
        }
        long start = end - old.length();
        try {
            file.seek(start);
            file.write(bytes);
            end = start + bytes.length;
            return true;
        } catch (IOException error) {
            fail("cannot be written", error);
            restore(start, old);
            return false;
        }
    }

    /** A part of it may have been written: the last line becomes what it was. */
    private void restore(long start, String old) {
        try {
            file.seek(start);
            file.writeBytes(old);
            file.setLength(end);
        } catch (IOException again) {
            // The reason is known already. A last line that is cut off is no operation for the reader.
        }
    }

    private void fail(String problem, IOException error) {
        stop.because(path, problem, error);
    }

    /** Stops recording because of something that cannot be written. */
    void refuse(String problem) {
        stop.because(path, problem, null);
    }

    /** Closes the file; what goes wrong is a reason to stop. */
    void close() {
        try {
            file.close();
        } catch (IOException error) {
            fail("cannot be closed", error);
        }
    }
}
