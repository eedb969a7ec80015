// xenium's ramalhete_queue of std::unique_ptr, used by one thread only: a node whose entries were all taken is freed with
// the pointers still in it when the queue is destroyed.
//
//   g++ -std=c++17 -fsanitize=address -g lineup-targets/cpp/bugs/xenium_double_free.cpp && ./a.out
#include <cassert>
#include <cstdio>
#include <memory>
#include <xenium/ramalhete_queue.hpp>
#include <xenium/reclamation/generic_epoch_based.hpp>

#ifndef ENTRIES
#define ENTRIES 2
#endif

using Queue = xenium::ramalhete_queue<std::unique_ptr<int>,
                                      xenium::policy::reclaimer<xenium::reclamation::epoch_based<>>,
                                      xenium::policy::entries_per_node<ENTRIES>>;

int main() {
    {
        Queue queue;
        std::unique_ptr<int> taken;
        for (int i = 0; i < ENTRIES; i++) queue.push(std::make_unique<int>(i));
        for (int i = 0; i < ENTRIES; i++) queue.try_pop(taken);
        queue.push(std::make_unique<int>(3));
    }
    puts("ok");
}
