import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Classes of {@code java.util.concurrent}, and their methods. */
final class Subjects {
    /** Room in the bounded queues: little, so that they are full now and then, and {@code addAll} of the set-up fits. */
    private static final int CAPACITY = 10;
    private static final int MANY = 8;

    private Subjects() {}

    static List<Subject> all() {
        return List.of(
                map("ConcurrentSkipListMap", ConcurrentSkipListMap::new, sortedMapMethods()),
                map("ConcurrentHashMap", ConcurrentHashMap::new, hashMapMethods()),
                set("ConcurrentSkipListSet", "order=sorted,", ConcurrentSkipListSet::new, sortedSetMethods()),
                set("ConcurrentHashMap.newKeySet", "order=sorted,", ConcurrentHashMap::newKeySet, List.of()),
                set("CopyOnWriteArraySet", "", CopyOnWriteArraySet::new, List.of()),
                queue("ConcurrentLinkedQueue", "", ConcurrentLinkedQueue::new, List.of()),
                deque("ConcurrentLinkedDeque", "", ConcurrentLinkedDeque::new, dequeMethods()),
                queue("LinkedBlockingQueue", ":capacity=" + CAPACITY, () -> new LinkedBlockingQueue<Element>(CAPACITY), blockingMethods()),
                deque("LinkedBlockingDeque", ":capacity=" + CAPACITY, () -> new LinkedBlockingDeque<Element>(CAPACITY),
                        joined(dequeMethods(), blockingMethods())),
                queue("ArrayBlockingQueue", ":capacity=" + CAPACITY, () -> new ArrayBlockingQueue<Element>(CAPACITY), blockingMethods()),
                queue("LinkedTransferQueue", "", LinkedTransferQueue::new, blockingMethods()),
                queue("PriorityBlockingQueue", ":order=sorted", PriorityBlockingQueue::new, blockingMethods()),
                list("CopyOnWriteArrayList", CopyOnWriteArrayList::new));
    }

    // ---- How methods are described ------------------------------------------------------------------------------------------

    private static Method plain(String name, Function<Object, Object> body) {
        return new Method(name, draw -> List.of(), (target, arguments) -> body.apply(target));
    }

    private static Method of(String name, Function<Draw, Object> argument, BiFunction<Object, Object, Object> body) {
        return new Method(name, draw -> List.of(argument.apply(draw)), (target, arguments) -> body.apply(target, arguments.get(0)));
    }

    /** A method on a key and a value. */
    private static Method entry(String name, EntryBody body) {
        return new Method(name, draw -> List.of(draw.key(), draw.fresh()),
                (target, arguments) -> body.call(map(target), (Element) arguments.get(0), (Element) arguments.get(1)));
    }

    private interface EntryBody {
        Object call(Map<Element, Element> map, Element key, Element value);
    }

    private static Object nothing(Runnable body) {
        body.run();
        return Method.NOTHING;
    }

    private static List<Method> joined(List<Method> some, List<Method> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    /** What an iterator returned. */
    private static Object[] iterated(Iterator<Element> iterator) {
        List<Element> elements = new ArrayList<>();
        while (iterator.hasNext()) {
            elements.add(iterator.next());
            Element.pause();
        }
        return elements.toArray();
    }

    @SuppressWarnings("unchecked")
    private static Map<Element, Element> map(Object target) {
        return (Map<Element, Element>) target;
    }

    @SuppressWarnings("unchecked")
    private static NavigableMap<Element, Element> sortedMap(Object target) {
        return (NavigableMap<Element, Element>) target;
    }

    @SuppressWarnings("unchecked")
    private static ConcurrentHashMap<Element, Element> hashMap(Object target) {
        return (ConcurrentHashMap<Element, Element>) target;
    }

    @SuppressWarnings("unchecked")
    private static Collection<Element> collection(Object target) {
        return (Collection<Element>) target;
    }

    @SuppressWarnings("unchecked")
    private static Queue<Element> queue(Object target) {
        return (Queue<Element>) target;
    }

    @SuppressWarnings("unchecked")
    private static Deque<Element> deque(Object target) {
        return (Deque<Element>) target;
    }

    @SuppressWarnings("unchecked")
    private static BlockingQueue<Element> blockingQueue(Object target) {
        return (BlockingQueue<Element>) target;
    }

    @SuppressWarnings("unchecked")
    private static NavigableSet<Element> sortedSet(Object target) {
        return (NavigableSet<Element>) target;
    }

    @SuppressWarnings("unchecked")
    private static CopyOnWriteArrayList<Element> list(Object target) {
        return (CopyOnWriteArrayList<Element>) target;
    }

    @SuppressWarnings("unchecked")
    private static Collection<Element> elements(Object argument) {
        return (Collection<Element>) argument;
    }

    // ---- Maps ---------------------------------------------------------------------------------------------------------------

    private static Subject map(String name, Supplier<Object> make, List<Method> more) {
        List<Method> core = List.of(
                entry("put", Map::put),
                of("remove", Draw::key, (target, key) -> map(target).remove(key)),
                of("get", Draw::key, (target, key) -> map(target).get(key)));
        List<Method> methods = List.of(
                entry("putIfAbsent", Map::putIfAbsent),
                entry("replace", Map::replace),
                entry("computeIfAbsent", (map, key, value) -> map.computeIfAbsent(key, absent -> value)),
                of("containsKey", Draw::key, (target, key) -> map(target).containsKey(key)),
                of("containsValue", Draw::known, (target, value) -> map(target).containsValue(value)),
                plain("size", target -> map(target).size()),
                plain("isEmpty", target -> map(target).isEmpty()),
                plain("keySet", target -> map(target).keySet().toString()),
                plain("values", target -> map(target).values().toString()),
                plain("entrySet", target -> map(target).entrySet().toString()),
                plain("toString", Object::toString),
                putAll(3),
                plain("clear", target -> nothing(() -> map(target).clear())));
        return new Subject(name, "java-map", make, core, putAll(MANY), joined(methods, more));
    }

    private static Method putAll(int count) {
        return of("putAll", draw -> draw.entries(count), (target, entries) -> nothing(() -> map(target).putAll(map(entries))));
    }

    private static List<Method> sortedMapMethods() {
        return List.of(
                of("headMap", Draw::key, (target, to) -> sortedMap(target).headMap((Element) to).toString()),
                of("tailMap", Draw::key, (target, from) -> sortedMap(target).tailMap((Element) from).toString()),
                plain("descendingMap", target -> sortedMap(target).descendingMap().toString()),
                plain("firstKey", target -> sortedMap(target).firstKey()),
                plain("lastKey", target -> sortedMap(target).lastKey()),
                plain("firstEntry", target -> sortedMap(target).firstEntry()),
                of("floorKey", Draw::key, (target, key) -> sortedMap(target).floorKey((Element) key)),
                of("higherKey", Draw::key, (target, key) -> sortedMap(target).higherKey((Element) key)),
                plain("pollFirstEntry", target -> sortedMap(target).pollFirstEntry()),
                plain("pollLastEntry", target -> sortedMap(target).pollLastEntry()));
    }

    private static List<Method> hashMapMethods() {
        return List.of(
                of("contains", Draw::known, (target, value) -> hashMap(target).contains(value)),
                plain("mappingCount", target -> hashMap(target).mappingCount()),
                plain("keys", target -> iterated(hashMap(target).keys().asIterator())),
                plain("elements", target -> iterated(hashMap(target).elements().asIterator())));
    }

    // ---- Collections --------------------------------------------------------------------------------------------------------

    private static List<Method> collectionMethods() {
        return List.of(
                plain("size", target -> collection(target).size()),
                plain("isEmpty", target -> collection(target).isEmpty()),
                of("containsAll", Draw::knownList, (target, wanted) -> collection(target).containsAll(elements(wanted))),
                of("addAll", Draw::freshList, (target, added) -> collection(target).addAll(elements(added))),
                of("removeAll", Draw::knownList, (target, removed) -> collection(target).removeAll(elements(removed))),
                of("retainAll", Draw::knownList, (target, kept) -> collection(target).retainAll(elements(kept))),
                plain("clear", target -> nothing(() -> collection(target).clear())));
    }

    /** Methods that tell the order of the elements. */
    private static final List<Method> ARRAYS = List.of(
            plain("toArray", target -> collection(target).toArray()),
            plain("iterator", target -> iterated(collection(target).iterator())),
            plain("toString", Object::toString));

    /** The same where the order is not specified. */
    private static final List<Method> SORTED_ARRAYS = List.of(
            plain("toArray", target -> sorted(collection(target).toArray())),
            plain("iterator", target -> sorted(iterated(collection(target).iterator()))));

    private static Object[] sorted(Object[] array) {
        Arrays.sort(array);
        return array;
    }

    private static Method contains() {
        return of("contains", Draw::known, (target, element) -> collection(target).contains(element));
    }

    private static Method remove() {
        return of("remove", Draw::known, (target, element) -> collection(target).remove(element));
    }

    private static Method fill() {
        return of("addAll", draw -> draw.many(MANY), (target, added) -> collection(target).addAll(elements(added)));
    }

    private static Subject set(String name, String order, Supplier<Object> make, List<Method> more) {
        List<Method> core = List.of(
                // Sometimes an element that was removed.
                of("add", draw -> draw.below(3) == 0 ? draw.known() : draw.fresh(), (target, element) -> collection(target).add((Element) element)),
                remove(),
                contains());
        return new Subject(name, "java-collection:" + order + "duplicates=no", make, core, fill(),
                joined(joined(collectionMethods(), ARRAYS), more));
    }

    private static List<Method> sortedSetMethods() {
        return List.of(
                plain("first", target -> sortedSet(target).first()),
                plain("last", target -> sortedSet(target).last()),
                of("lower", Draw::known, (target, element) -> sortedSet(target).lower((Element) element)),
                of("ceiling", Draw::known, (target, element) -> sortedSet(target).ceiling((Element) element)),
                of("headSet", Draw::known, (target, to) -> sortedSet(target).headSet((Element) to).toString()),
                of("tailSet", Draw::known, (target, from) -> sortedSet(target).tailSet((Element) from).toString()),
                plain("pollFirst", target -> sortedSet(target).pollFirst()),
                plain("pollLast", target -> sortedSet(target).pollLast()));
    }

    private static Subject queue(String name, String options, Supplier<Object> make, List<Method> more) {
        boolean isSorted = options.contains("sorted");
        List<Method> core = List.of(
                of("offer", Draw::fresh, (target, element) -> queue(target).offer((Element) element)),
                plain("poll", target -> queue(target).poll()));
        List<Method> methods = List.of(
                plain("peek", target -> queue(target).peek()),
                contains(),
                remove());
        return new Subject(name, "java-collection" + options, make, core, fill(),
                joined(joined(methods, collectionMethods()), joined(isSorted ? SORTED_ARRAYS : ARRAYS, more)));
    }

    private static List<Method> blockingMethods() {
        return List.of(
                plain("drainTo", target -> {
                    List<Element> drained = new ArrayList<>();
                    blockingQueue(target).drainTo(drained);
                    return drained.toArray();
                }),
                plain("remainingCapacity", target -> blockingQueue(target).remainingCapacity()));
    }

    private static Subject deque(String name, String options, Supplier<Object> make, List<Method> more) {
        List<Method> core = List.of(
                of("offerLast", Draw::fresh, (target, element) -> deque(target).offerLast((Element) element)),
                of("offerFirst", Draw::fresh, (target, element) -> deque(target).offerFirst((Element) element)),
                plain("pollFirst", target -> deque(target).pollFirst()),
                plain("pollLast", target -> deque(target).pollLast()));
        List<Method> methods = List.of(contains(), remove());
        return new Subject(name, "java-collection" + options, make, core, fill(),
                joined(joined(methods, collectionMethods()), joined(ARRAYS, more)));
    }

    private static List<Method> dequeMethods() {
        return List.of(
                plain("peekFirst", target -> deque(target).peekFirst()),
                plain("peekLast", target -> deque(target).peekLast()),
                plain("descendingIterator", target -> iterated(deque(target).descendingIterator())),
                of("removeLastOccurrence", Draw::known, (target, element) -> deque(target).removeLastOccurrence(element)));
    }

    private static Subject list(String name, Supplier<Object> make) {
        List<Method> core = List.of(
                of("add", Draw::fresh, (target, element) -> list(target).add((Element) element)),
                remove(),
                contains());
        List<Method> methods = List.of(
                of("addIfAbsent", Draw::known, (target, element) -> list(target).addIfAbsent((Element) element)),
                of("get", draw -> draw.below(3), (target, at) -> list(target).get((Integer) at)),
                new Method("set", draw -> List.of(draw.below(3), draw.fresh()),
                        (target, arguments) -> list(target).set((Integer) arguments.get(0), (Element) arguments.get(1))),
                of("indexOf", Draw::known, (target, element) -> list(target).indexOf(element)));
        return new Subject(name, "java-collection", make, core, fill(),
                joined(joined(methods, collectionMethods()), ARRAYS));
    }
}
