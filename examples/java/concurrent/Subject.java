import java.util.List;
import java.util.function.Supplier;

/**
 * A class under test.
 *
 * @param name its name
 * @param model the model of OmniLink that says what its methods do one at a time
 * @param make makes an empty object
 * @param core methods that are certainly linearizable: others are judged by what they tell of these, and these of them
 * @param fill adds many elements at once, before the threads begin
 * @param methods the methods that are judged
 */
record Subject(String name, String model, Supplier<Object> make, List<Method> core, Method fill, List<Method> methods) {}
