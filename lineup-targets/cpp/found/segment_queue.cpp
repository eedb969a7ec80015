// A queue of segments with two places each. `push` counts attempts, also those that found the segment full, and the destructor takes
// the count for the number of values: it goes round and deletes what was deleted before. -DFIXED ends the loop with the segment.
#include "lineup.hpp"
#include <algorithm>
#include <atomic>
#include <optional>

#ifndef RETRIES
#define RETRIES 1000
#endif

struct Segment {
    static constexpr int places = 2;
    std::atomic<int> pushed{0}, popped{0};
    std::atomic<int *> values[places] = {};
    std::atomic<Segment *> next{nullptr};

    static int *nothing() {
        static int place;
        return &place;
    }
    ~Segment() {
        int end = pushed;
#ifdef FIXED
        end = std::min(end, places);
#endif
        for (int index = popped; index < end; index++)
            if (int *value = values[index % places]; value != nothing()) delete value;
    }
};

struct Queue {
    Segment *first = new Segment;
    std::atomic<Segment *> head{first}, tail{first};

    ~Queue() {
        for (Segment *segment = first; segment;) {
            Segment *next = segment->next;
            delete segment;
            segment = next;
        }
    }
    void push(int number) {
        int *value = new int(number);
        for (;;) {
            Segment *segment = tail;
            int index = segment->pushed++;
            if (index < Segment::places) {
                int *expected = nullptr;
                if (segment->values[index].compare_exchange_strong(expected, value)) return;
                continue; // a pop gave this place up
            }
            Segment *next = segment->next;
            if (!next) {
                Segment *made = new Segment;
                if (segment->next.compare_exchange_strong(next, made)) next = made;
                else delete made;
            }
            tail.compare_exchange_strong(segment, next);
        }
    }
    std::optional<int> try_pop() {
        for (;;) {
            Segment *segment = head;
            int popped = segment->popped, pushed = segment->pushed;
            if (popped >= pushed && popped < Segment::places) return {};
            int index = popped < Segment::places ? segment->popped++ : popped;
            if (index >= Segment::places) {
                Segment *next = segment->next;
                if (!next) return {};
                head.compare_exchange_strong(segment, next);
                continue;
            }
            int *value = nullptr;
            for (int tries = 0; !value && tries < RETRIES; tries++) value = segment->values[index];
            if (!value && segment->values[index].compare_exchange_strong(value, Segment::nothing())) continue;
            int number = *value;
            delete value;
            return number;
        }
    }
};

int main() {
    return lineup::component<Queue>("segment queue")
        .op("push(1)", [](Queue &queue) { queue.push(1); })
        .op("push(2)", [](Queue &queue) { queue.push(2); })
        .op("try_pop()", [](Queue &queue) { return queue.try_pop(); })
        .run();
}
