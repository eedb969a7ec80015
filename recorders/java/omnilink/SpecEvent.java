package omnilink;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A line of a {@link SpecLog} that is being made. Nothing is written before {@link #write}. */
public final class SpecEvent {
    private final SpecLog log;
    private final String action;
    private final List<Object> args = new ArrayList<>();
    private final Map<String, List<Map<String, Object>>> updates = new LinkedHashMap<>();
    private final Map<String, Object> fields = new LinkedHashMap<>();
    private boolean isWritten;

    SpecEvent(SpecLog log, String action) {
        this.log = log;
        this.action = action;
    }

    /** The next argument of the action; null if it is not known. */
    public SpecEvent arg(Object value) {
        args.add(value);
        return this;
    }

    /** The next value of a variable, or of the part of it to which a path of keys, fields and positions leads. */
    public SpecEvent set(String variable, Object value, Object... path) {
        return update(variable, "Update", List.of(path), value);
    }

    /** A set of which an element is added; the path leads to the set. */
    public SpecEvent add(String variable, Object element, Object... path) {
        return update(variable, "AddElement", List.of(path), element);
    }

    /** A set of which an element is removed. */
    public SpecEvent remove(String variable, Object element, Object... path) {
        return update(variable, "RemoveElement", List.of(path), element);
    }

    /** A sequence at whose end an element is added. */
    public SpecEvent append(String variable, Object element, Object... path) {
        return update(variable, "AppendElement", List.of(path), element);
    }

    /** Any other update: those of the page docs/logs.md. */
    public SpecEvent update(String variable, String op, List<?> path, Object... args) {
        Map<String, Object> update = new LinkedHashMap<>();
        update.put("op", op);
        update.put("path", path);
        update.put("args", args);
        updates.computeIfAbsent(variable, of -> new ArrayList<>()).add(update);
        return this;
    }

    /** Another field of the line, for the link file. */
    public SpecEvent field(String name, Object value) {
        fields.put(name, value);
        return this;
    }

    /**
     * Writes the line. It is in the file when this returns.
     *
     * @throws IllegalArgumentException if a value cannot be recorded
     */
    public void write() {
        if (isWritten) {
            throw new IllegalStateException("the event was written already");
        }
        Json json = new Json();
        if (action != null) {
            json.raw(",\"event\":").value(action);
        }
        if (!args.isEmpty()) {
            json.raw(",\"args\":").value(args);
        }
        if (!updates.isEmpty()) {
            json.raw(",\"vars\":").members(updates);
        }
        fields.forEach((name, value) -> json.raw(",").raw(new Json().name(name).toString()).value(value));
        log.write(json);
        isWritten = true;
    }
}
