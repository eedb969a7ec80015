package omnilink;

import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.Callable;

/** The operations of one thread. */
public final class ThreadLog {
    private final LineFile file;
    private final Object thread;
    /** The calls that stay pending: nothing of the same thread can come after one, so the thread goes on under another label. */
    private int pending;
    private Call open;
    private volatile boolean isClosed;

    ThreadLog(LineFile file, Object thread) {
        this.file = file;
        this.thread = thread;
    }

    /**
     * Makes a call and records it. If it throws, it stays pending: it may have taken effect.
     *
     * @throws IllegalArgumentException if an argument cannot be recorded; then the call is not made
     */
    public <T> T record(String op, Map<String, ?> args, Callable<T> function) throws Exception {
        try (Call call = call(op, args)) {
            T result = function.call();
            call.end(result);
            return result;
        }
    }

    /** The same for what returns nothing. */
    public void record(String op, Map<String, ?> args, Runnable function) {
        try (Call call = call(op, args)) {
            function.run();
            call.end();
        }
    }

    /**
     * Begins a call. Its record is in the file when this returns, unless recording has stopped; {@link Recorder#close} tells.
     *
     * @throws IllegalArgumentException if an argument cannot be recorded, or the operation is null
     * @throws IllegalStateException if the last call of this thread is still open, or the recorder is closed
     */
    public Call call(String op, Map<String, ?> args) {
        checkOpen();
        if (open != null) {
            throw new IllegalStateException(open.op() + " of this thread has not ended; end or close it first");
        }
        if (op == null || op.isEmpty() || args == null) {
            throw new IllegalArgumentException("an operation has a name and a map of arguments; one of them is null or empty");
        }
        Json json = new Json().raw("{").name("thread").value(label()).name("op").value(op).name("args").members(args);
        String line = json.name("start").raw(Long.toString(System.nanoTime())).raw("}").toString();
        int length = file.append(line);
        if (length == 0) {
            file.stop().lose();
        }
        open = new Call(this, op, length);
        // Nothing of the call may happen before its record, or before this thread knows that it is not recorded.
        VarHandle.fullFence();
        return open;
    }

    private Object label() {
        return pending == 0 ? thread : thread + "'" + pending;
    }

    LineFile file() {
        return file;
    }

    Object thread() {
        return thread;
    }

    void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("the recorder is closed");
        }
    }

    /** The open call is over. */
    void finish(boolean isPending) {
        open = null;
        if (isPending) {
            pending++;
        }
    }

    void close() {
        isClosed = true;
        file.close();
    }
}
