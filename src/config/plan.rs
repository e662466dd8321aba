//! Many JSON pointers as one tree, so that a document is walked once for all of them.

use crate::a2a::pointer::{Pointer, Step};

/// A set of pointers, each with a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    root: Node,
    pointers: Vec<Pointer>,
}

/// One position in a document that pointers lead to or through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// The pointer that ends here.
    pub slot: Option<usize>,
    /// Where `*` leads.
    pub every: Option<Box<Node>>,
    /// Where keys (or indexes) lead.
    pub keys: Vec<(String, Node)>,
}

impl Node {
    /// Whether any pointer goes on from here.
    pub fn goes_on(&self) -> bool {
        self.every.is_some() || !self.keys.is_empty()
    }

    /// Where a key leads, `*` aside.
    pub fn key(&self, key: &str) -> Option<&Node> {
        self.keys.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }
}

impl Plan {
    /// The number of this pointer; equal ones have one number.
    pub fn add(&mut self, pointer: &Pointer) -> usize {
        if let Some(known) = self.pointers.iter().position(|other| other == pointer) {
            return known;
        }
        let slot = self.pointers.len();
        self.pointers.push(pointer.clone());
        plant(&mut self.root, pointer.steps(), slot);
        slot
    }

    /// The whole document.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// How many pointers there are.
    pub fn len(&self) -> usize {
        self.pointers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pointers.is_empty()
    }

    /// The pointer of a number, as written.
    pub fn pointer(&self, slot: usize) -> Option<&Pointer> {
        self.pointers.get(slot)
    }
}

fn plant(node: &mut Node, steps: &[Step], slot: usize) {
    let Some((step, rest)) = steps.split_first() else {
        node.slot = Some(slot);
        return;
    };
    let next = match step {
        Step::Every => node.every.get_or_insert_default(),
        Step::Into(key) => {
            let at = node.keys.iter().position(|(name, _)| name == key).unwrap_or_else(|| {
                node.keys.push((key.clone(), Node::default()));
                node.keys.len() - 1
            });
            let Some((_, next)) = node.keys.get_mut(at) else { return };
            next
        }
    };
    plant(next, rest, slot);
}
