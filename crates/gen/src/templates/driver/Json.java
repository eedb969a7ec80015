package omnilink;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON, as much of it as a driver needs. This file is rewritten at each generation.
 *
 * <p>Values are null (not known), Boolean, Long, Double, String, List and Map. Sets, sequences and tuples of the specification are
 * lists; records and functions are maps; model values are strings.
 */
public final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Reads one value. */
    public static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.space();
        if (json.at != text.length()) throw json.wrong("the end");
        return value;
    }

    /** Writes a value. Any Iterable is a list, any Number that is whole an integer, and keys of maps are written as text. */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(out, value);
        return out.toString();
    }

    private static void write(StringBuilder out, Object value) {
        if (value == null || value instanceof Boolean || value instanceof Number) {
            out.append(value);
        } else if (value instanceof Map<?, ?> map) {
            out.append('{');
            String comma = "";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(comma);
                quote(out, String.valueOf(entry.getKey()));
                out.append(':');
                write(out, entry.getValue());
                comma = ",";
            }
            out.append('}');
        } else if (value instanceof Iterable<?> elements) {
            out.append('[');
            for (Iterator<?> each = elements.iterator(); each.hasNext(); ) {
                write(out, each.next());
                if (each.hasNext()) out.append(',');
            }
            out.append(']');
        } else {
            quote(out, value.toString());
        }
    }

    private static void quote(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < 0x20) out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        out.append('"');
    }

    private IllegalArgumentException wrong(String wanted) {
        return new IllegalArgumentException("column " + (at + 1) + ": " + wanted + " is expected");
    }

    private void space() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
    }

    private boolean eat(String word) {
        space();
        boolean found = text.startsWith(word, at);
        if (found) at += word.length();
        return found;
    }

    private Object value() {
        if (eat("{")) {
            Map<String, Object> map = new LinkedHashMap<>();
            if (eat("}")) return map;
            do {
                space();
                String name = string();
                if (!eat(":")) throw wrong("a colon");
                map.put(name, value());
            } while (eat(","));
            if (!eat("}")) throw wrong("a comma");
            return map;
        }
        if (eat("[")) {
            List<Object> list = new ArrayList<>();
            if (eat("]")) return list;
            do list.add(value());
            while (eat(","));
            if (!eat("]")) throw wrong("a comma");
            return list;
        }
        space();
        if (at < text.length() && text.charAt(at) == '"') return string();
        if (eat("null")) return null;
        if (eat("true")) return true;
        if (eat("false")) return false;
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
        String number = text.substring(start, at);
        try {
            return Long.valueOf(number);
        } catch (NumberFormatException notWhole) {
            try {
                return Double.valueOf(number);
            } catch (NumberFormatException error) {
                throw wrong("a value");
            }
        }
    }

    private String string() {
        if (at >= text.length() || text.charAt(at) != '"') throw wrong("a string");
        at++;
        StringBuilder out = new StringBuilder();
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c != '\\') {
                out.append(c);
                continue;
            }
            if (at >= text.length()) throw wrong("a character");
            c = text.charAt(at++);
            switch (c) {
                case 'n' -> out.append('\n');
                case 't' -> out.append('\t');
                case 'r' -> out.append('\r');
                case 'b' -> out.append('\b');
                case 'f' -> out.append('\f');
                case 'u' -> {
                    if (at + 4 > text.length()) throw wrong("four digits");
                    out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                    at += 4;
                }
                default -> out.append(c);
            }
        }
        if (at >= text.length()) throw wrong("a quote");
        at++;
        return out.toString();
    }
}
