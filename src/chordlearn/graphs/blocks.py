"""The blocks of a graph: where every cycle lies."""

from __future__ import annotations

from chordlearn.graphs.adjacency import Graph
from chordlearn.graphs.bits import members


def blocks(graph: Graph) -> list[int]:
    """The largest connected parts of two vertices or more that no single vertex separates, as masks.

    Every edge lies in exactly one, and so does every cycle and every complete set of two or more.

    >>> blocks((0b00110, 0b00101, 0b01011, 0b00100, 0))
    [7, 12]
    """
    depth: dict[int, int] = {}
    low: dict[int, int] = {}
    found: list[int] = []
    for root in range(len(graph)):
        if root in depth:
            continue
        depth[root] = low[root] = 0
        path, visited = [root], [root]
        pending = [iter(members(graph[root]))]
        while path:
            vertex = path[-1]
            neighbour = next(pending[-1], None)
            if neighbour is None:
                path.pop()
                pending.pop()
                if not path:
                    break
                parent = path[-1]
                low[parent] = min(low[parent], low[vertex])
                if low[vertex] >= depth[parent]:
                    # The parent separates all that was visited from the vertex on.
                    block = 1 << parent
                    while True:
                        last = visited.pop()
                        block |= 1 << last
                        if last == vertex:
                            break
                    found.append(block)
            elif neighbour not in depth:
                depth[neighbour] = low[neighbour] = depth[vertex] + 1
                path.append(neighbour)
                visited.append(neighbour)
                pending.append(iter(members(graph[neighbour])))
            else:
                low[vertex] = min(low[vertex], depth[neighbour])
    return sorted(found)
