import java.util.List;

/** A method of a class: how its arguments are drawn, and how it is called. */
record Method(String name, Arguments arguments, Body body) {
    /** Draws the arguments of a call. */
    interface Arguments {
        List<Object> draw(Draw draw);
    }

    /** Calls the method. What it returns must not change any more: a view is turned into text here. */
    interface Body {
        Object call(Object target, List<Object> arguments);
    }

    /** The result of a method that returns nothing. */
    static final Object NOTHING = new Object() {
        @Override
        public String toString() {
            return "void";
        }
    };

    /** A call that is part of a program. */
    record Call(Method method, List<Object> arguments) {
        /** What the call returns; the name of an exception if it throws one. */
        Object on(Object target) {
            try {
                return method.body().call(target, arguments);
            } catch (IndexOutOfBoundsException error) {
                // Arrays have one of their own.
                return "IndexOutOfBoundsException";
            } catch (RuntimeException error) {
                return error.getClass().getSimpleName();
            }
        }

        @Override
        public String toString() {
            String list = arguments.toString();
            return method.name() + "(" + list.substring(1, list.length() - 1) + ")";
        }
    }

    Call drawn(Draw draw) {
        return new Call(this, arguments.draw(draw));
    }
}
