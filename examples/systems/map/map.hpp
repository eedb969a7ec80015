// map.hpp: an ordered map whose readers never wait: a mutable search tree, and immutable versions of it.
//
// Updates change the mutable tree, whose leaves hold the keys. Every node also has a *version*: an immutable node with
// the number of keys below it, whose children are the versions of the node's children. After an update its thread *propagates*: from
// the leaf to the root it replaces the version of each node by one made of the children's current versions. The update takes effect
// when the root's version contains it. Readers take the root's version, which is a snapshot: lookups walk it, and ranges are counted
// in logarithmic time from the numbers that it holds.
//
// -DBUG=1 … -DBUG=6 build it with one of six mistakes; each is marked where it is.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#ifndef BUG
#define BUG 0
#endif

class Map {
 public:
  static constexpr std::int64_t NO_VALUE = 0;

  Map() {
    Node *left = leaf(INFINITY_KEY, NO_VALUE), *right = leaf(INFINITY_KEY, NO_VALUE);
    root_ = inner(INFINITY_KEY, left, right);
  }
  Map(const Map &) = delete;
  ~Map() {
    for (Block *block = blocks_.load(); block != nullptr;) {
      Block *next = block->next;
      block->free(block);
      block = next;
    }
  }

  /// Inserts if there is nothing; returns what was there.
  std::int64_t insert(std::int64_t key, std::int64_t value) {
    std::int64_t before = NO_VALUE;
    bool is_changed = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      std::vector<Node *> path = path_to(key);
      Node *found = child_of(path.back(), key);
      before = found->key == key ? found->value : NO_VALUE;
      if (before == NO_VALUE) {
        Node *added = leaf(key, value);
        Node *joint = key < found->key ? inner(found->key, added, found) : inner(key, found, added);
        replace_child(path.back(), key, joint);
        balance(key);
        is_changed = true;
      }
    }
    return finish(key, before, is_changed);
  }

  /// Removes; returns what was there.
  std::int64_t erase(std::int64_t key) {
    std::int64_t before = NO_VALUE;
    bool is_changed = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      std::vector<Node *> path = path_to(key);
      Node *parent = path.back(), *found = child_of(parent, key);
      if (found->key == key && path.size() > 1) {
        before = found->value;
        Node *sibling = key < parent->key ? parent->right.load() : parent->left.load();
        replace_child(path[path.size() - 2], key, sibling);
        is_changed = true;
      }
    }
    return finish(key, before, is_changed);
  }

  std::int64_t lookup(std::int64_t key) const {
#if BUG == 1
    // The mutable tree has updates that have not taken effect yet.
    Node *node = root_;
    while (!node->is_leaf) node = child_of(node, key);
    return node->key == key ? node->value : NO_VALUE;
#else
    const Version *version = root_->version.load();
    while (version->left != nullptr) version = key < version->key ? version->left : version->right;
    return version->key == key ? version->value : NO_VALUE;
#endif
  }

  /// How many keys from `low` to `high` there are.
  std::int64_t count(std::int64_t low, std::int64_t high) const {
    const Version *version = root_->version.load();
    return low > high ? 0 : below(version, high + 1) - below(version, low);
  }

 private:
  static constexpr std::int64_t INFINITY_KEY = INT64_MAX;

  /// Everything is freed with the map: a reader may still walk what an update has replaced.
  struct Block {
    Block *next = nullptr;
    void (*free)(Block *) = nullptr;
  };

  /// Whether a thread's propagation has reached the root.
  struct Propagation : Block {
    std::atomic<bool> is_done{false};
  };

  struct Version : Block {
    std::int64_t key = 0, value = 0, count = 0;
    const Version *left = nullptr, *right = nullptr;
    Propagation *by = nullptr;  // who made it
  };

  struct Node : Block {
    std::int64_t key = 0, value = 0;
    bool is_leaf = false;
    std::atomic<Node *> left{nullptr}, right{nullptr};
    std::atomic<Version *> version{nullptr};
  };

  template <typename T>
  T *made() {
    T *block = new T;
    block->free = [](Block *block) { delete static_cast<T *>(block); };
    block->next = blocks_.load();
    while (!blocks_.compare_exchange_weak(block->next, block)) {
    }
    return block;
  }

  Node *leaf(std::int64_t key, std::int64_t value) {
    Node *node = made<Node>();
    Version *version = made<Version>();
    node->key = version->key = key;
    node->value = version->value = value;
    version->count = key == INFINITY_KEY ? 0 : 1;
    node->is_leaf = true;
    node->version = version;
    return node;
  }

  Version *version_of(std::int64_t key, const Version *left, const Version *right, Propagation *by) {
    Version *version = made<Version>();
    version->key = key;
    version->left = left;
    version->right = right;
    version->count = left->count + right->count;
    version->by = by;
    return version;
  }

  /// Keys below `key` are on the left.
  Node *inner(std::int64_t key, Node *left, Node *right) {
    Node *node = made<Node>();
    node->key = key;
    node->left = left;
    node->right = right;
    node->version = version_of(key, left->version.load(), right->version.load(), nullptr);
    return node;
  }

  static Node *child_of(const Node *node, std::int64_t key) { return key < node->key ? node->left.load() : node->right.load(); }

  static void replace_child(Node *node, std::int64_t key, Node *child) {
    if (key < node->key) {
      node->left = child;
    } else {
      node->right = child;
    }
  }

  /// The inner nodes from the root to where the key is or would be.
  std::vector<Node *> path_to(std::int64_t key) const {
    std::vector<Node *> path{root_};
    for (Node *node = child_of(root_, key); !node->is_leaf; node = child_of(node, key)) path.push_back(node);
    return path;
  }

  static std::int64_t below(const Version *version, std::int64_t key) {
    std::int64_t found = 0;
    while (version->left != nullptr) {
      if (key <= version->key) {
        version = version->left;
        // Keys equal to the node's are on its right.
      } else {
        found += version->left->count;
        version = version->right;
      }
    }
    return found + (version->key < key ? version->count : 0);
  }

  static std::int64_t weight(const Node *node) { return node->version.load()->count + 1; }

  /// Rotates once where a side is much heavier than the other. The rotated nodes are new ones; the old ones stay as they were.
  void balance(std::int64_t key) {
    Node *parent = root_;
    for (Node *node = child_of(root_, key); !node->is_leaf;) {
      Node *left = node->left.load(), *right = node->right.load();
      Node *rotated = nullptr;
      if (!left->is_leaf && weight(left) > 2 * weight(right)) {
        rotated = inner(left->key, left->left.load(), inner(node->key, left->right.load(), right));
      } else if (!right->is_leaf && weight(right) > 2 * weight(left)) {
        rotated = inner(right->key, inner(node->key, left, right->left.load()), right->right.load());
      }
      if (rotated != nullptr) {
#if BUG == 6
        // The version of the node that is replaced, instead of one made of the children's.
        rotated->version = node->version.load();
#endif
        replace_child(parent, key, rotated);
        return;
      }
      parent = node;
      node = child_of(node, key);
    }
  }

  std::int64_t finish(std::int64_t key, std::int64_t before, bool is_changed) {
#if BUG == 4
    // What the update has seen may not have taken effect yet.
    if (!is_changed) return before;
#endif
    (void)is_changed;
    propagate(key);
    return before;
  }

  /// Brings the versions on the way from a key to the root up to date.
  void propagate(std::int64_t key) {
    Propagation *mine = made<Propagation>();
    while (!try_propagate(key, mine)) {
    }
    mine->is_done = true;
  }

  /// False if the tree was changed on the way: a node that is no longer part of it passes nothing on to the root.
  bool try_propagate(std::int64_t key, Propagation *mine) {
    std::vector<Node *> path = path_to(key);
    for (std::size_t i = path.size(); i-- > 0;) {
      if (!refresh(path[i], mine)) {
        // Twice somebody else was faster: the second time they have read the children after this thread had, so they carry its
        // update to the root. It has to get there before this thread returns.
        Propagation *other = path[i]->version.load()->by;
#if BUG != 5
        for (int waited = 0; other != nullptr && !other->is_done.load(); waited++) {
          if (waited == 10000) return false;
          std::this_thread::yield();
        }
        if (other == nullptr) return false;
#endif
        (void)other;
        return true;
      }
      if (i > 0 && child_of(path[i - 1], key) != path[i]) return false;
    }
    return true;
  }

  /// Replaces the version of a node by one made of its children's. Two attempts are enough: see above.
  bool refresh(Node *node, Propagation *mine) {
    for (int attempt = 0; attempt < 2; attempt++) {
#if BUG == 3
      const Version *left = node->left.load()->version.load(), *right = node->right.load()->version.load();
      Version *old = node->version.load();  // may be newer than what was read of the children
#else
      Version *old = node->version.load();
      const Version *left = node->left.load()->version.load(), *right = node->right.load()->version.load();
#endif
#if BUG == 2
      // "As many keys as before, so the child is the same": one may have gone and another come.
      if (old->right != nullptr && old->right->count == right->count) right = old->right;
#endif
      Version *next = version_of(node->key, left, right, mine);
      if (node->version.compare_exchange_strong(old, next)) return true;
    }
    return false;
  }

  Node *root_ = nullptr;
  std::mutex mutex_;
  std::atomic<Block *> blocks_{nullptr};
};
