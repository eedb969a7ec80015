import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How consistent is each method of a concurrent collection? Records histories of programs in which one method runs beside the core methods of its class,
 * and asks {@code omnilink check --infer} for the strongest level of that method, the core methods being linearizable.
 */
public final class Survey {
    private static final String USAGE = "usage: Survey [--seconds S] OMNILINK FOLDER [CLASS]...\n"
            + "  --seconds S   run the programs of each method for S seconds (1)\n"
            + "  OMNILINK      the command\n"
            + "  FOLDER        where histories are kept: new or empty\n"
            + "  CLASS         classes to look at (all): ";
    private static final int PROGRAMS = 20;
    /** The different histories of a method that are checked; the most frequent are the least interesting. */
    private static final int HISTORIES = 300;
    /** From the strongest to the weakest; the first is linearizability. */
    private static final List<String> LEVELS = List.of("linearizable", "causal", "peer", "monotonic", "weak", "return-value");
    private static final String NONE = "no level";

    private final String omnilink;
    private final Path folder;
    private final long nanoseconds;

    private Survey(String omnilink, Path folder, long nanoseconds) {
        this.omnilink = omnilink;
        this.folder = folder;
        this.nanoseconds = nanoseconds;
    }

    public static void main(String[] args) throws Exception {
        List<String> words = new ArrayList<>(List.of(args));
        List<Subject> subjects = Subjects.all();
        double seconds = 1;
        if (words.size() >= 2 && words.get(0).equals("--seconds")) {
            try {
                seconds = Double.parseDouble(words.get(1));
            } catch (NumberFormatException error) {
                fail("--seconds takes a number, not " + words.get(1));
            }
            words.subList(0, 2).clear();
        }
        if (words.size() < 2 || !(seconds > 0 && seconds < 3600)) {
            fail(USAGE + names(subjects));
        }
        List<String> classes = words.subList(2, words.size());
        for (String name : classes) {
            if (subjects.stream().noneMatch(subject -> subject.name().equals(name))) {
                fail("there is no class " + name + " here; there are " + names(subjects));
            }
        }
        Survey survey = new Survey(words.get(0), Path.of(words.get(1)), (long) (seconds * 1e9));
        System.out.println("| class | " + String.join(" | ", LEVELS) + " | " + NONE + " |");
        System.out.println("|---".repeat(LEVELS.size() + 2) + "|");
        for (Subject subject : subjects) {
            if (classes.isEmpty() || classes.contains(subject.name())) {
                System.out.println(survey.row(subject));
            }
        }
    }

    private static void fail(String message) {
        System.err.println(message);
        System.exit(2);
    }

    private static String names(List<Subject> subjects) {
        return subjects.stream().map(Subject::name).collect(Collectors.joining(" "));
    }

    /** The row of a class in the table: its methods, by the strongest level that all their histories satisfy. */
    private String row(Subject subject) throws IOException, InterruptedException {
        Path own = Files.createDirectories(folder.resolve(subject.name()));
        Map<String, Method> methods = new LinkedHashMap<>();
        subject.core().forEach(method -> methods.put(method.name(), method));
        subject.methods().forEach(method -> methods.put(method.name(), method));
        Map<String, Path> files = new LinkedHashMap<>();
        for (Method method : methods.values()) {
            Path file = own.resolve(method.name() + ".jsonl");
            record(subject, method, file);
            files.put(method.name(), file);
        }
        Map<String, List<String>> byLevel = new LinkedHashMap<>();
        for (Method method : methods.values()) {
            String level = level(subject, method, own, files.get(method.name()));
            byLevel.computeIfAbsent(level, none -> new ArrayList<>()).add(method.name());
        }
        List<String> cells = new ArrayList<>(List.of(subject.name()));
        for (String level : LEVELS) {
            cells.add(String.join(", ", byLevel.getOrDefault(level, List.of())));
        }
        cells.add(String.join(", ", byLevel.getOrDefault(NONE, List.of())));
        return "| " + String.join(" | ", cells) + " |";
    }

    /** Writes the histories that were seen of programs with this method. */
    private void record(Subject subject, Method method, Path file) throws IOException, InterruptedException {
        record Seen(Program program, History history, int count) {}
        List<Seen> all = new ArrayList<>();
        Random random = new Random(method.name().hashCode());
        for (int number = 0; number < PROGRAMS; number++) {
            Program program = Program.drawn(subject, method, random);
            Stress.histories(subject.make(), program, nanoseconds / PROGRAMS)
                    .forEach((history, count) -> all.add(new Seen(program, history, count)));
        }
        all.sort(Comparator.comparingInt(Seen::count));
        try (var out = Files.newBufferedWriter(file)) {
            int id = 0;
            for (Seen seen : all.subList(0, Math.min(all.size(), HISTORIES))) {
                out.write(seen.history().json(id++, seen.program().toString(), seen.count()));
                out.newLine();
            }
        }
    }

    /** The strongest level of a method, where the core methods and the set-up are linearizable. */
    private String level(Subject subject, Method method, Path own, Path file) throws IOException, InterruptedException {
        Set<String> others = new HashSet<>();
        subject.core().forEach(core -> others.add(core.name()));
        others.add(subject.fill().name());
        others.remove(method.name());
        Path levels = own.resolve(method.name() + ".levels");
        Files.writeString(levels, others.stream().sorted().collect(Collectors.joining("|")) + ": linearizable\n");
        String answer = run(List.of(omnilink, "check", file.toString(), "--model", subject.model(), "--infer",
                "--levels", levels.toString(), "--json"));
        if (!found("\"undecided\":\\[(.*?)\\]", answer).isEmpty()) {
            throw new IllegalStateException(file + ": a limit was reached");
        }
        return found("\"unexplained\":\\[(.*?)\\]", answer).isEmpty()
                ? found("\"levels\":\\{.*?\"" + method.name() + "\":\"(.*?)\"", answer)
                : NONE;
    }

    private static String found(String pattern, String answer) {
        Matcher matcher = Pattern.compile(pattern).matcher(answer);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + pattern + " in the answer of omnilink: " + answer);
        }
        return matcher.group(1);
    }

    private static String run(List<String> command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            String output = new String(process.getInputStream().readAllBytes());
            // 1: some history is not explained. The answer says which.
            if (process.waitFor() > 1) {
                throw new IllegalStateException(String.join(" ", command) + " ended with exit code " + process.exitValue());
            }
            return output;
        } catch (IOException error) {
            throw new UncheckedIOException("cannot run " + command.get(0), error);
        }
    }
}
