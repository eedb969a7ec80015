import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import omnilink.SpecLog;

/**
 * Two-phase commit by threads that send messages, and a log of each node for {@code omnilink validate}.
 *
 * <p>A resource manager sends its "prepared" again until it hears of a decision. The transaction manager should note who is prepared; with {@code count}
 * it counts messages instead, and decides too early.
 */
public final class TwoPhaseCommit {
    /** A message, with the clock of its sender. */
    record Message(String type, String from, Map<String, Long> clock) {}

    private static final List<String> MANAGERS = List.of("rm-0", "rm-1", "rm-2");
    private final Map<String, BlockingQueue<Message>> inboxes = new ConcurrentHashMap<>();
    private final boolean counts;
    /** The last manager is slow: the others send again before it is prepared. */
    private final CountDownLatch sentAgain = new CountDownLatch(MANAGERS.size() - 1);

    private TwoPhaseCommit(boolean counts) {
        this.counts = counts;
        inboxes.put("tm", new LinkedBlockingQueue<>());
        MANAGERS.forEach(rm -> inboxes.put(rm, new LinkedBlockingQueue<>()));
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 1 || args.length > 2 || args.length == 2 && !args[1].equals("count")) {
            System.err.println("usage: TwoPhaseCommit FOLDER [count]");
            System.exit(2);
        }
        Path folder = Path.of(args[0]);
        Files.createDirectories(folder);
        TwoPhaseCommit system = new TwoPhaseCommit(args.length == 2);
        Thread manager = new Thread(() -> system.transactionManager(folder));
        manager.start();
        for (String rm : MANAGERS) {
            new Thread(() -> system.resourceManager(folder, rm)).start();
        }
        manager.join();
    }

    private void transactionManager(Path folder) {
        try (SpecLog log = SpecLog.create(folder.resolve("tm.ndjson"), "tm")) {
            Set<String> prepared = new HashSet<>();
            int messages = 0;
            while (counts ? messages < MANAGERS.size() : prepared.size() < MANAGERS.size()) {
                Message message = inboxes.get("tm").take();
                log.receive(message.clock());
                prepared.add(message.from());
                messages++;
                log.event("TMRcvPrepared").arg(message.from()).add("tmPrepared", message.from()).write();
            }
            log.event("TMCommit").set("tmState", "done").add("msgs", Map.of("type", "Commit")).write();
            for (String rm : MANAGERS) {
                inboxes.get(rm).put(new Message("Commit", "tm", log.send()));
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private void resourceManager(Path folder, String rm) {
        try (SpecLog log = SpecLog.create(folder.resolve(rm + ".ndjson"), rm)) {
            if (rm.equals(MANAGERS.get(MANAGERS.size() - 1))) {
                sentAgain.await();
            }
            log.event("RMPrepare").arg(rm).set("rmState", "prepared", rm)
                    .add("msgs", Map.of("type", "Prepared", "rm", rm)).write();
            Message decision = null;
            for (int sent = 1; decision == null; sent++) {
                inboxes.get("tm").put(new Message("Prepared", rm, log.send()));
                decision = inboxes.get(rm).poll(20, TimeUnit.MILLISECONDS);
                // One that hears of a decision does not send again.
                if (sent == 2 || sent == 1 && decision != null) {
                    sentAgain.countDown();
                }
            }
            log.receive(decision.clock());
            log.event("RMRcvCommitMsg").arg(rm).set("rmState", "committed", rm).write();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }
}
