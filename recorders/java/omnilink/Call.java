package omnilink;

import java.lang.invoke.VarHandle;
import java.util.Map;

/** A call that has begun. Unless it is ended, it stays pending: it may have taken effect, or may take effect later. */
public final class Call implements AutoCloseable {
    private final ThreadLog log;
    private final String op;
    /** The length of its line; 0 if it is not recorded. */
    private final int length;
    private Long end;
    private boolean isOver;

    Call(ThreadLog log, String op, int length) {
        this.log = log;
        this.op = op;
        this.length = length;
    }

    String op() {
        return op;
    }

    /** Ends the timebox now, and the call later: for what only releases a lock or formats a result. */
    public void tightenEnd() {
        VarHandle.fullFence();
        end = System.nanoTime();
    }

    /** The call returned nothing. */
    public void end() {
        finish("");
    }

    /** The call returned. */
    public void end(Object result) {
        end(result, Map.of());
    }

    /**
     * The call returned.
     *
     * @param meta anything else: kept, and ignored by checks
     */
    public void end(Object result, Map<String, ?> meta) {
        stamp();
        String more;
        try {
            Json json = new Json().raw(",\"ret\":").value(result);
            more = (meta.isEmpty() ? json : json.raw(",\"meta\":").members(meta)).toString();
        } catch (IllegalArgumentException error) {
            // It happened, so it must not get lost: it stays pending, and recording stops with the reason.
            log.file().refuse(op + " returned what cannot be recorded: " + error.getMessage());
            close();
            return;
        }
        finish(more);
    }

    /** The system said that the operation did not happen, and will not. */
    public void abort() {
        stamp();
        finish(",\"aborted\":true");
    }

    /** The operation was not even tried: its record goes. */
    public void cancel() {
        once();
        if (length > 0) {
            log.file().removeLast(length);
        }
        log.finish(false);
    }

    /** Leaves a call that has not ended pending. */
    @Override
    public void close() {
        if (!isOver) {
            isOver = true;
            log.finish(true);
        }
    }

    private void stamp() {
        if (end == null) {
            tightenEnd();
        }
    }

    private void finish(String more) {
        stamp();
        once();
        // If the operation saw any effect of one that is not recorded, it also sees that recording has stopped, and stays pending.
        if (length > 0) {
            log.file().extend(",\"end\":" + end + more);
        }
        log.finish(false);
    }

    private void once() {
        if (isOver) {
            throw new IllegalStateException(op + " has ended already");
        }
        log.checkOpen();
        isOver = true;
    }
}
