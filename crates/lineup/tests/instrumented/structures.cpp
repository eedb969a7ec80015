// Data structures of the textbook, each right and with a mistake. The name of the program says which one it offers.
#include "lineup.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

// Lamport's bakery for two threads. The mistake: a number is drawn without the door.
struct Bakery {
    bool has_door;
    std::atomic<bool> choosing[2]{};
    std::atomic<int> number[2]{};
    int value = 0;

    int add(int me) {
        int other = 1 - me;
        if (has_door) choosing[me] = true;
        number[me] = 1 + number[other];
        if (has_door) {
            choosing[me] = false;
            while (choosing[other]) {}
        }
        for (;;) {
            int theirs = number[other], mine = number[me];
            if (theirs == 0 || mine < theirs || (mine == theirs && me < other)) break;
        }
        int seen = ++value;
        number[me] = 0;
        return seen;
    }
};

// A queue with a lock at each end. The mistake: its length is changed under either lock.
struct TwoLockQueue {
    struct Node {
        int value;
        std::atomic<Node *> next{nullptr};
    };
    bool counts_atomically;
    std::mutex front, back;
    Node *head = new Node{0}, *tail = head;
    int length = 0;
    std::atomic<int> atomic_length{0};

    ~TwoLockQueue() {
        while (head) {
            Node *next = head->next;
            delete head;
            head = next;
        }
    }
    void count(int by) {
        if (counts_atomically) atomic_length += by;
        else length += by;
    }
    void push(int value) {
        std::lock_guard<std::mutex> guard(back);
        Node *node = new Node{value};
        tail->next = node;
        tail = node;
        count(1);
    }
    std::optional<int> pop() {
        std::lock_guard<std::mutex> guard(front);
        Node *next = head->next;
        if (!next) return std::nullopt;
        int value = next->value;
        delete head;
        head = next;
        count(-1);
        return value;
    }
};

// A set as a sorted list, locked hand over hand. The mistake: a lock is given back before the next one is taken.
struct HandOverHand {
    struct Node {
        int key;
        Node *next;
        std::mutex lock;
    };
    bool keeps_a_lock;
    Node last{1000, nullptr, {}}, first{-1000, &last, {}};

    ~HandOverHand() {
        for (Node *node = first.next; node != &last;) {
            Node *next = node->next;
            delete node;
            node = next;
        }
    }
    bool insert(int key) {
        Node *before = &first;
        before->lock.lock();
        Node *at = before->next;
        if (!keeps_a_lock) before->lock.unlock();
        at->lock.lock();
        while (at->key < key) {
            if (keeps_a_lock) before->lock.unlock();
            before = at;
            at = at->next;
            if (!keeps_a_lock) before->lock.unlock();
            at->lock.lock();
        }
        if (!keeps_a_lock) {
            at->lock.unlock();
            before->lock.lock();
            at->lock.lock();
        }
        bool is_new = at->key != key;
        if (is_new) before->next = new Node{key, at, {}};
        at->lock.unlock();
        before->lock.unlock();
        return is_new;
    }
};

int main(int, char **arguments) {
    const char *slash = std::strrchr(arguments[0], '/');
    const std::string name = slash ? slash + 1 : arguments[0];
    const bool is_right = name.find("_right") != std::string::npos;
    if (name.rfind("bakery", 0) == 0)
        return lineup::component<Bakery>("bakery", [=] { return std::unique_ptr<Bakery>(new Bakery{is_right}); })
            .op("left()", [](Bakery &bakery) { return bakery.add(0); })
            .op("right()", [](Bakery &bakery) { return bakery.add(1); })
            .role("left", {"left()"})
            .role("right", {"right()"})
            .run();
    if (name.rfind("two_lock_queue", 0) == 0)
        return lineup::component<TwoLockQueue>("two locks", [=] { return std::unique_ptr<TwoLockQueue>(new TwoLockQueue{is_right}); })
            .op("push(1)", [](TwoLockQueue &queue) { queue.push(1); })
            .op("pop()", [](TwoLockQueue &queue) { return queue.pop(); })
            .run();
    if (name.rfind("hand_over_hand", 0) == 0)
        return lineup::component<HandOverHand>("hand over hand", [=] { return std::unique_ptr<HandOverHand>(new HandOverHand{is_right}); })
            .op("insert(1)", [](HandOverHand &set) { return set.insert(1); })
            .op("insert(2)", [](HandOverHand &set) { return set.insert(2); })
            .run();
    return 2;
}
