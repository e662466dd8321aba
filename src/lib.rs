//! carddrift: an offline log and trace analyzer for A2A delegation.
