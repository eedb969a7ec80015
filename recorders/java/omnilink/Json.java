package omnilink;

import java.lang.reflect.Array;
import java.lang.reflect.RecordComponent;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Values as the trace format has them. */
final class Json {
    /** The reader refuses what is nested deeper. A value that contains itself is. */
    private static final int DEPTH_MAX = 90;

    /** A value that shares parts with itself can be as long as memory allows. */
    private static final int LENGTH_MAX = 1 << 24;

    private final StringBuilder text = new StringBuilder(128);

    /** The text so far. */
    @Override
    public String toString() {
        return text.toString();
    }

    Json raw(String more) {
        text.append(more);
        return this;
    }

    /** Begins a member of an object. */
    Json name(String name) {
        char last = text.isEmpty() ? '{' : text.charAt(text.length() - 1);
        if (last != '{' && last != '[') {
            text.append(',');
        }
        return string(name).raw(":");
    }

    /** @throws IllegalArgumentException if the format has no such value */
    Json value(Object value) {
        return value(value, 0);
    }

    /** An object of arguments: every name is a string, whatever it is. */
    Json members(Map<String, ?> members) {
        text.append('{');
        members.forEach((name, value) -> name(name).value(value, 1));
        return raw("}");
    }

    private Json value(Object value, int depth) {
        if (text.length() > LENGTH_MAX) {
            throw new IllegalArgumentException("a value is longer than " + LENGTH_MAX + " characters; record what tells values apart");
        }
        if (depth > DEPTH_MAX) {
            throw new IllegalArgumentException("a value is nested more than " + DEPTH_MAX + " deep; does it contain itself?");
        }
        if (value == null) {
            return raw("null");
        } else if (value instanceof String || value instanceof Character || value instanceof Enum<?>) {
            return string(value instanceof Enum<?> constant ? constant.name() : value.toString());
        } else if (value instanceof Boolean || value instanceof Long || value instanceof Integer
                || value instanceof Short || value instanceof Byte || value instanceof BigInteger) {
            return raw(value.toString());
        } else if (value instanceof Double || value instanceof Float) {
            return number(((Number) value).doubleValue());
        } else if (value instanceof AtomicInteger || value instanceof AtomicLong || value instanceof LongAdder) {
            return raw(Long.toString(((Number) value).longValue()));
        } else if (value instanceof ModelValue model) {
            return raw("{\"$model\":").string(model.name()).raw("}");
        } else if (value instanceof Optional<?> optional) {
            return value(optional.orElse(null), depth);
        } else if (value instanceof Map<?, ?> map) {
            return map(map, depth);
        } else if (value instanceof Set<?> set) {
            return raw("{\"$set\":").list(set.iterator(), depth).raw("}");
        } else if (value instanceof Collection<?> list) {
            return list(list.iterator(), depth);
        } else if (value.getClass().isArray()) {
            return array(value, depth);
        } else if (value instanceof Record record) {
            return record(record, depth);
        }
        throw new IllegalArgumentException("a " + value.getClass().getName()
                + " cannot be recorded; pass a number, a string, a collection, a map, a record or a ModelValue");
    }

    private Json number(double number) {
        if (Double.isNaN(number) || Double.isInfinite(number)) {
            throw new IllegalArgumentException(number + " cannot be recorded: JSON has no such number; pass a string");
        }
        return raw(Double.toString(number));
    }

    private Json list(Iterator<?> elements, int depth) {
        text.append('[');
        for (boolean isFirst = true; elements.hasNext(); isFirst = false) {
            if (!isFirst) {
                text.append(',');
            }
            value(elements.next(), depth + 1);
        }
        return raw("]");
    }

    private Json array(Object array, int depth) {
        text.append('[');
        for (int at = 0; at < Array.getLength(array); at++) {
            if (at > 0) {
                text.append(',');
            }
            Object element = Array.get(array, at);
            // Bytes are numbers from 0 to 255 in every recorder.
            value(array instanceof byte[] ? (Object) ((byte) element & 0xff) : element, depth + 1);
        }
        return raw("]");
    }

    /** A record if all keys are strings, else a function. A key with a dollar would be read as one of the other values. */
    private Json map(Map<?, ?> map, int depth) {
        if (map.keySet().stream().allMatch(key -> key instanceof String name && !name.startsWith("$"))) {
            text.append('{');
            map.forEach((key, value) -> name((String) key).value(value, depth + 1));
            return raw("}");
        }
        text.append("{\"$fn\":[");
        String separator = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            raw(separator).raw("[").value(entry.getKey(), depth + 1);
            raw(",").value(entry.getValue(), depth + 1).raw("]");
            separator = ",";
        }
        return raw("]}");
    }

    private Json record(Record record, int depth) {
        text.append('{');
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            Object value;
            try {
                component.getAccessor().setAccessible(true);
                value = component.getAccessor().invoke(record);
            } catch (ReflectiveOperationException | RuntimeException error) {
                throw new IllegalArgumentException("the component " + component.getName() + " of a "
                        + record.getClass().getName() + " cannot be read: " + error.getMessage(), error);
            }
            name(component.getName()).value(value, depth + 1);
        }
        return raw("}");
    }

    /**
     * A text. A trace holds Unicode, so half of a surrogate pair is written {@code \\ud800}; and so that no two texts are written alike, a
     * backslash that begins what looks like an escape is written {@code \\x5c}. All recorders do the same.
     */
    private Json string(String string) {
        if (string == null) {
            throw new IllegalArgumentException("a name is null");
        }
        text.append('"');
        for (int at = 0; at < string.length(); at++) {
            char one = string.charAt(at);
            switch (one) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append(isEscape(string, at) ? "\\\\x5c" : "\\\\");
                case '\n' -> text.append("\\n");
                default -> {
                    if (one < 0x20) {
                        text.append(String.format("\\u%04x", (int) one));
                    } else if (Character.isSurrogate(one) && !isPaired(string, at)) {
                        text.append(String.format("\\\\u%04x", (int) one));
                    } else {
                        text.append(one);
                    }
                }
            }
        }
        text.append('"');
        return this;
    }

    /** Whether what begins at a backslash looks like an escape. */
    private static boolean isEscape(String string, int at) {
        return string.startsWith("x", at + 1) && areDigits(string, at + 2, 2)
                || string.startsWith("ud", at + 1) && areDigits(string, at + 3, 3);
    }

    private static boolean areDigits(String string, int at, int count) {
        return at + count <= string.length()
                && string.substring(at, at + count).chars().allMatch(one -> "0123456789abcdef".indexOf(one) >= 0);
    }

    /** Whether a surrogate is one of a pair: in a row of them, each first one takes the next. */
    private static boolean isPaired(String string, int at) {
        char one = string.charAt(at);
        return Character.isHighSurrogate(one)
                ? at + 1 < string.length() && Character.isLowSurrogate(string.charAt(at + 1))
                : at > 0 && Character.isHighSurrogate(string.charAt(at - 1));
    }
}
