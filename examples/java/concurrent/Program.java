import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** A few calls for a few threads, and those that come before all of them. */
record Program(List<List<Method.Call>> threads, List<Method.Call> setup) {
    /** A program that asks how a method behaves beside the core methods. */
    static Program drawn(Subject subject, Method method, Random random) {
        Draw draw = new Draw(random);
        List<Method.Call> setup = new ArrayList<>();
        switch (draw.below(3)) {
            case 0 -> { }
            case 1 -> {
                setup.add(subject.core().get(0).drawn(draw));
                setup.add(subject.core().get(0).drawn(draw));
            }
            // A long way for iterators, so that much can happen on it.
            default -> setup.add(subject.fill().drawn(draw));
        }
        List<List<Method.Call>> threads = new ArrayList<>();
        int others = 1 + draw.below(2);
        for (int other = 0; other < others; other++) {
            List<Method.Call> calls = new ArrayList<>();
            for (int count = 2 + draw.below(2); count > 0; count--) {
                calls.add(core(subject, draw));
            }
            threads.add(calls);
        }
        List<Method.Call> own = new ArrayList<>();
        if (draw.below(2) == 0) {
            own.add(core(subject, draw));
        }
        own.add(method.drawn(draw));
        switch (draw.below(3)) {
            case 0 -> own.add(method.drawn(draw));
            case 1 -> own.add(core(subject, draw));
            default -> { }
        }
        threads.add(0, own);
        return new Program(threads, setup);
    }

    private static Method.Call core(Subject subject, Draw draw) {
        return subject.core().get(draw.below(subject.core().size())).drawn(draw);
    }

    @Override
    public String toString() {
        return setup + " then " + threads.stream().map(List::toString).collect(Collectors.joining(" || "));
    }
}
