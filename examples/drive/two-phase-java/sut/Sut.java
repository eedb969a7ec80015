// Two-phase commit, for the driver of examples/logs/two-phase/TwoPhase.tla.
//
// BUG in the environment switches a mistake on: count-messages, ignore-abort or silent-commit.

package sut;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

public class Sut {
    private static final String BUG = System.getenv().getOrDefault("BUG", "");

    // omnilink: begin system
    private final Map<String, String> states = new LinkedHashMap<>();
    private final Set<Map<String, String>> messages = new LinkedHashSet<>();
    private final Collection<String> prepared = BUG.equals("count-messages") ? new ArrayList<>() : new HashSet<>();
    private boolean isDone;

    public Sut(Map<?, ?> state) {
        ((Map<?, ?>) state.get("rmState")).forEach((name, value) -> states.put((String) name, (String) value));
    }

    public Map<String, ?> observe() {
        boolean canCommit = !isDone && prepared.size() >= states.size();
        return Map.of("rmState", states, "tmState", isDone ? "done" : "init", "msgs", messages, "canCommit", canCommit);
    }

    private void receive(Map<String, String> message) {
        if (!messages.contains(message)) throw new IllegalStateException("nobody has sent " + message);
    }

    // omnilink: end system

    // omnilink: begin action TMCommit()
    public Map<String, ?> TMCommit() {
        if (prepared.size() < states.size()) throw new IllegalStateException("not all have prepared");
        isDone = true;
        if (!BUG.equals("silent-commit")) messages.add(Map.of("type", "Commit"));
        return null;
    }

    // omnilink: end action TMCommit

    // omnilink: begin action TMAbort()
    public Map<String, ?> TMAbort() {
        isDone = true;
        messages.add(Map.of("type", "Abort"));
        return null;
    }

    // omnilink: end action TMAbort

    // omnilink: begin action TMRcvPrepared(rm: String)
    public Map<String, ?> TMRcvPrepared(String rm) {
        receive(Map.of("type", "Prepared", "rm", rm));
        prepared.add(rm);
        return null;
    }

    // omnilink: end action TMRcvPrepared

    // omnilink: begin action RMPrepare(rm: String)
    public Map<String, ?> RMPrepare(String rm) {
        states.put(rm, "prepared");
        messages.add(Map.of("type", "Prepared", "rm", rm));
        return null;
    }

    // omnilink: end action RMPrepare

    // omnilink: begin action RMChooseToAbort(rm: String)
    public Map<String, ?> RMChooseToAbort(String rm) {
        states.put(rm, "aborted");
        return null;
    }

    // omnilink: end action RMChooseToAbort

    // omnilink: begin action RMRcvCommitMsg(rm: String)
    public Map<String, ?> RMRcvCommitMsg(String rm) {
        receive(Map.of("type", "Commit"));
        states.put(rm, "committed");
        return null;
    }

    // omnilink: end action RMRcvCommitMsg

    // omnilink: begin action RMRcvAbortMsg(rm: String)
    public Map<String, ?> RMRcvAbortMsg(String rm) {
        receive(Map.of("type", "Abort"));
        if (!BUG.equals("ignore-abort") || states.get(rm).equals("working")) states.put(rm, "aborted");
        return null;
    }

    // omnilink: end action RMRcvAbortMsg

    // omnilink: new sections are inserted above this line
}
