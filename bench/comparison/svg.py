"""The few shapes that charts need, as SVG."""

from xml.sax.saxutils import escape

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
INK = "#222222"


class Drawing:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self._parts = []

    def line(self, begin, end, colour, width=1.0, dashes=None):
        (x1, y1), (x2, y2) = begin, end
        self._parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                           f'stroke="{colour}" stroke-width="{width:g}"{_dashed(dashes)}/>')

    def path(self, points, colour, width, dashes=None):
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" '
                           f'stroke-width="{width:g}" stroke-linejoin="round"{_dashed(dashes)}/>')

    def mark(self, shape, centre, radius, colour):
        x, y = centre
        if shape == "circle":
            self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" '
                               f'fill="{colour}"/>')
            return
        corners = {
            "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
            "diamond": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
            "triangle": ((0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
            "wedge": ((0, 1.2), (1.1, -0.8), (-1.1, -0.8)),
        }[shape]
        joined = " ".join(f"{x + dx * radius:.1f},{y + dy * radius:.1f}" for dx, dy in corners)
        self._parts.append(f'<polygon points="{joined}" fill="{colour}"/>')

    def bar(self, corner, width, height, colour):
        x, y = corner
        self._parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
                           f'height="{height:.1f}" fill="{colour}"/>')

    def text(self, at, words, size=12, anchor="start", colour=INK, bold=False, halo=False):
        """A halo keeps what lies on lines readable."""
        x, y = at
        more = ' font-weight="bold"' if bold else ""
        if halo:
            more += ' stroke="white" stroke-width="3.5" paint-order="stroke"'
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" '
                           f'text-anchor="{anchor}" fill="{colour}"{more}>{escape(words)}</text>')

    def upright_text(self, at, words, size=12):
        x, y = at
        self._parts.append(f'<text transform="translate({x:.1f} {y:.1f}) rotate(-90)" '
                           f'font-size="{size:g}" text-anchor="middle" fill="{INK}">'
                           f'{escape(words)}</text>')

    def render(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" font-family="{FONT}">\n'
                f'<rect width="{self.width}" height="{self.height}" fill="white"/>\n'
                + "\n".join(self._parts) + "\n</svg>\n")


def _dashed(dashes):
    return f' stroke-dasharray="{dashes}"' if dashes else ""
