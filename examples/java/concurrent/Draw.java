import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Draws arguments for the calls of one program. Added elements are new, so that a result tells where it comes from. */
final class Draw {
    private static final int KEYS = 3;
    private final Random random;
    private int last;

    Draw(Random random) {
        this.random = random;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** A key of a map. */
    Element key() {
        return new Element(below(KEYS));
    }

    /** An element that the program has not added yet. */
    Element fresh() {
        return new Element(++last);
    }

    /** An element that was probably added. */
    Element known() {
        return new Element(1 + below(last + 1));
    }

    List<Element> freshList() {
        return List.of(fresh(), fresh());
    }

    List<Element> knownList() {
        Element one = known();
        Element other = known();
        return one.equals(other) ? List.of(one) : List.of(one, other);
    }

    /** So many new elements. */
    List<Element> many(int count) {
        List<Element> elements = new ArrayList<>();
        for (int at = 0; at < count; at++) {
            elements.add(fresh());
        }
        return elements;
    }

    Map<Element, Element> entries(int count) {
        Map<Element, Element> entries = new LinkedHashMap<>();
        for (int key = 0; key < count; key++) {
            entries.put(new Element(key), fresh());
        }
        return entries;
    }
}
