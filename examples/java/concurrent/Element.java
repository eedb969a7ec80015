import java.util.concurrent.ThreadLocalRandom;

/**
 * A number that lets other threads run when a collection looks at it. So things happen in the middle of a search, a bulk operation or an iteration that
 * otherwise need luck and many processors. The code under test is not changed, and must expect this of its elements.
 */
record Element(int number) implements Comparable<Element> {
    /** Now and then, lets others run. */
    static void pause() {
        if (ThreadLocalRandom.current().nextInt(48) == 0) {
            Thread.yield();
        }
    }

    @Override
    public boolean equals(Object other) {
        pause();
        return other instanceof Element element && element.number == number;
    }

    @Override
    public int hashCode() {
        pause();
        return number;
    }

    @Override
    public int compareTo(Element other) {
        pause();
        return Integer.compare(number, other.number);
    }

    @Override
    public String toString() {
        pause();
        return Integer.toString(number);
    }
}
