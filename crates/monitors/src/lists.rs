//! Lists from which elements are taken out, and put back in reverse order.

/// Several lists of the elements `0..n`. Each element is in at most one of them.
#[derive(Debug)]
pub(crate) struct Lists {
    elements: usize,
    /// Neighbours of the elements, then the first and the last element of each list. The lists are circular.
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Lists {
    pub fn new(elements: usize, lists: usize) -> Self {
        let alone: Vec<u32> = (0..(elements + lists) as u32).collect();
        Self {
            elements,
            next: alone.clone(),
            previous: alone,
        }
    }

    /// Appends an element that is in no list.
    pub fn append(&mut self, list: usize, element: usize) {
        let head = self.elements + list;
        let last = self.previous[head];
        self.previous[element] = last;
        self.next[element] = head as u32;
        self.next[last as usize] = element as u32;
        self.previous[head] = element as u32;
    }

    /// Takes an element out of its list.
    pub fn take_out(&mut self, element: usize) {
        let (previous, next) = (self.previous[element], self.next[element]);
        self.next[previous as usize] = next;
        self.previous[next as usize] = previous;
    }

    /// Puts the element back that was taken out last.
    pub fn put_back(&mut self, element: usize) {
        let (previous, next) = (self.previous[element], self.next[element]);
        self.next[previous as usize] = element as u32;
        self.previous[next as usize] = element as u32;
    }

    pub fn first(&self, list: usize) -> Option<usize> {
        self.iter(list).next()
    }

    pub fn iter(&self, list: usize) -> impl Iterator<Item = usize> {
        let mut at = self.elements + list;
        std::iter::from_fn(move || {
            at = self.next[at] as usize;
            (at < self.elements).then_some(at)
        })
    }
}
