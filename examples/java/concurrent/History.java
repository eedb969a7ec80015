import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What was seen of one run: the result of each call, and how many calls of each thread had returned when it began. */
record History(List<Op> ops) {
    /** A call that returned. */
    record Op(int thread, Method.Call call, String result, List<Integer> returned) {}

    static History of(List<List<Method.Call>> threads, Object[][] results, int[][][] readings) {
        List<Op> ops = new ArrayList<>();
        for (int thread = 0; thread < threads.size(); thread++) {
            for (int at = 0; at < threads.get(thread).size(); at++) {
                // A counter is twice the calls that returned, and one more during a call.
                List<Integer> returned = Arrays.stream(readings[thread][at]).map(reading -> reading / 2).boxed().toList();
                Object result = results[thread][at];
                String text = result instanceof Object[] array ? Arrays.toString(array) : String.valueOf(result);
                ops.add(new Op(thread, threads.get(thread).get(at), text, returned));
            }
        }
        return new History(ops);
    }

    /** A line of a file of histories, as {@code omnilink check} reads it. */
    String json(int id, String program, int seen) {
        String calls = ops.stream()
                .map(op -> "{\"thread\":" + op.thread() + ",\"method\":" + text(op.call().method().name())
                        + ",\"args\":" + value(op.call().arguments()) + ",\"ret\":" + text(op.result())
                        + ",\"call_pcs\":" + op.returned().stream().map(count -> 2 * count).toList() + "}")
                .collect(Collectors.joining(","));
        return "{\"id\":" + id + ",\"program\":" + text(program) + ",\"seen\":" + seen + ",\"ops\":[" + calls + "]}";
    }

    private static String value(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(History::value).collect(Collectors.joining(",", "[", "]"));
        } else if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> text(entry.getKey().toString()) + ":" + value(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        return value.toString();
    }

    private static String text(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
