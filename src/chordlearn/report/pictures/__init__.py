"""Pictures as matplotlib figures (the extra `plot`): graph, junction tree, heatmap, trace."""

from chordlearn.report.pictures.canvas import save_picture
from chordlearn.report.pictures.graph import draw_graph, draw_junction_tree
from chordlearn.report.pictures.heatmap import draw_heatmap
from chordlearn.report.pictures.plotting import plot
from chordlearn.report.pictures.trace import Event, draw_trace, read_trace

__all__ = [
    "Event",
    "draw_graph",
    "draw_heatmap",
    "draw_junction_tree",
    "draw_trace",
    "plot",
    "read_trace",
    "save_picture",
]
