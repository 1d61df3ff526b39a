"""Reports in a real browser: nothing goes wrong, the drawing folds, and lines and nodes light up together."""

import numpy as np
import pytest

from npexport import Dim, cond, explain, export, nn
from tests.support.browser import Browser

WIDTHS = (1000, 1600)
HELPERS = """
const boxes = [...document.querySelectorAll(".sheet g")];
const box = title => boxes.find(g => g.querySelector("text").textContent.replace(/^[▾▸] /, "") === title);
const texts = selector => [...document.querySelectorAll(selector)].map(e => e.textContent);
"""


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(size), nn.Linear(size, 2 * size), nn.Linear(2 * size, size)

    def forward(self, x):
        inner = np.tanh(self.up(self.norm(x)))
        return x + self.down(inner)


class Tower(nn.Module):
    def __init__(self, depth, size=4):
        super().__init__()
        self.blocks = nn.ModuleList([Block(size) for _ in range(depth)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x * 2


def branchy(x):
    return cond(x.sum() > 0, lambda x: np.sin(x) + 1, lambda x: -x, (x,))


def refused(x, y):
    z = np.sin(x)
    table = {float(z.max()): y}
    return table, "</script><b>"


def tower(depth):
    return export(Tower(depth), (np.ones((2, 4), np.float32),), dynamic_shapes=({0: Dim("n", max=9)},))


@pytest.fixture(scope="module", params=WIDTHS)
def browser(request, tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("browser"), request.param, 900)
    yield browser
    browser.close()


@pytest.fixture
def page(browser, tmp_path):
    """Opens what ``to_html`` gives; at the end the console must be empty."""

    def open(shown):
        shown.to_html(tmp_path / "report.html")
        browser.open(tmp_path / "report.html")
        return lambda script, *arguments: browser.run(HELPERS + script, *arguments)

    yield open
    assert browser.console() == []


def test_small_programs_are_drawn_whole(page):
    run = page(tower(2))
    titles = run("return texts('.sheet g text:first-of-type')")
    assert [title for title in titles if title[0] == "▾"] == ["▾ blocks.0", "▾ blocks.1"]
    for title in ("x", "blocks.0.norm: layer_norm", "tanh", "blocks.1.down: linear", "multiply", "output"):
        assert title in titles
    assert not any("weight" in title for title in titles)


def test_no_box_lies_on_another_and_edges_lead_down(page):
    run = page(tower(3))
    boxes = run("return boxes.map(g => [g.item.x, g.item.y, g.item.w, g.item.h, Boolean(g.item.open)])")
    leaves = [box for box in boxes if not box[4]]
    assert len(leaves) == 3 * 5 + 3
    apart = [
        one[0] + one[2] <= other[0] or other[0] + other[2] <= one[0] or one[1] + one[3] <= other[1] or other[1] + other[3] <= one[1]
        for index, one in enumerate(leaves)
        for other in leaves[:index]
    ]
    assert all(apart)
    ends = run("return [...document.querySelectorAll('.sheet path')].map(p => [p.getPointAtLength(0).y, p.getPointAtLength(1e6).y])")
    assert len(ends) == 1 + 3 * 6 + 1 and all(above < below for above, below in ends)


def test_large_programs_are_folded_and_stay_readable(page):
    run = page(tower(40))
    assert len(run("return texts('.sheet .folded')")) == 40
    assert len(run("return texts('.sheet g')")) == 40 + 3
    size = run("const { width, height } = boxes[1].getBoundingClientRect(); return [width, height]")
    assert size[0] > 40 and size[1] > 15, "text of half the size can be read"
    run("document.querySelector('[name=unfold]').click()")
    assert len(run("return texts('.sheet g:not(.open)')")) == 40 * 5 + 3
    run("document.querySelector('[name=fold]').click()")
    assert len(run("return texts('.sheet g')")) == 40 + 3
    assert run("return document.documentElement.scrollWidth <= innerWidth"), "the page is no wider than its window"


def test_a_click_folds_and_unfolds(page, browser):
    run = page(tower(40))
    middle = "const r = box(arguments[0]).getBoundingClientRect(); return [r.left + r.width / 2, r.top + 8]"
    browser.click(*run(middle, "blocks.1"))
    assert run("return [box('blocks.1').getAttribute('aria-expanded'), boxes.length]") == ["true", 40 + 3 + 5]
    browser.click(*run(middle, "blocks.1"))
    assert run("return [box('blocks.1').getAttribute('aria-expanded'), boxes.length]") == ["false", 40 + 3]


def test_keys_lead_through_the_drawing(page, browser):
    run = page(tower(40))
    run("box('x').focus()")
    browser.press("ArrowDown", "ArrowDown")
    assert run("return document.activeElement === box('blocks.1')")
    browser.press("Enter", "ArrowDown")
    assert run("return document.activeElement.textContent.includes('blocks.1.norm: layer_norm')")
    assert run("return boxes.filter(g => g.tabIndex === 0).length") == 1
    browser.press("Escape")
    assert run("return document.activeElement === box('blocks.1') && boxes.length === 43")
    browser.press("ArrowUp")
    assert run("return document.activeElement === box('blocks.0')")
    for key, larger in (("-", False), ("+", True)):
        before = run("return document.querySelector('.sheet svg').clientWidth")
        browser.press(key)
        assert (run("return document.querySelector('.sheet svg').clientWidth") > before) is larger


def test_a_node_lights_its_line_and_its_row(page, browser):
    run = page(tower(2))
    x, y = run("const r = box('tanh').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]")
    browser.click(x, y)
    lit = run("return texts('.source .lit')")
    assert len(lit) == 1 and "np.tanh" in lit[0]
    assert [row.partition(":")[0] for row in run("return texts('.graph .lit')")] == ["tanh"]


def test_a_line_lights_its_nodes(page):
    run = page(tower(2))
    run("[...document.querySelectorAll('.source [data-line]')].find(e => e.textContent.includes('np.tanh')).focus()")
    assert sorted(row.partition(":")[0] for row in run("return texts('.graph .lit')")) == sorted(
        ["layer_norm", "linear", "tanh", "layer_norm_1", "linear_2", "tanh_1"]
    )
    lit = run("return texts('.sheet .lit text:first-of-type')")
    assert {"tanh", "blocks.0.up: linear", "blocks.1.norm: layer_norm", "▾ blocks.0"} <= set(lit)
    run("document.activeElement.blur()")
    assert run("return texts('.lit')") == []


def test_lists_of_lines_are_one_stop_of_the_tab_key(page, browser):
    run = page(tower(2))
    assert run("return [...document.querySelectorAll('.code')].every(pane => pane.querySelectorAll('[tabindex=\"0\"]').length < 2)")
    lines = run("return texts('.source [data-line]')")
    browser.press("Tab", "ArrowDown")
    assert run("return document.activeElement.textContent") == lines[1]
    assert run("return texts('.graph .lit')")
    browser.press("ArrowUp", "ArrowUp")
    assert run("return document.activeElement.textContent") == lines[0]
    browser.press("Tab")
    assert run("return document.activeElement.name") == "unfold"


def test_boxes_say_once_what_they_hold(page):
    run = page(tower(2))
    assert run("return box('tanh').getAttribute('aria-label')") == "tanh, f32[s0, 8]"
    assert run("return box('blocks.0').getAttribute('aria-label')") == "blocks.0, Block"


def test_sides_of_branches_stand_in_boxes(page):
    run = page(export(branchy, (np.ones(3),)))
    titles = run("return texts('.sheet g text:first-of-type')")
    assert {"▾ cond", "▾ true_graph_0", "▾ false_graph_0", "sin", "negative"} <= set(titles)


def test_refused_programs_are_drawn_as_far_as_they_go(page):
    run = page(explain(refused, (np.ones(3), np.ones(2))))
    titles = run("return texts('.sheet g text:first-of-type')")
    assert {"x", "y", "sin", "max"} <= set(titles)


def test_calls_that_are_refused_at_once_have_no_drawing(page):
    run = page(explain(refused, (np.ones(3), np.ones(2)), dynamic_shapes={"z": None}))
    assert run("return texts('h2')") == ["Problems"]


def test_long_programs_without_functions_are_folded_by_line(page):
    def long(x):
        for _ in range(300):
            x = np.sin(x)
        for _ in range(30):
            x = np.cos(x)
        return x

    run = page(export(long, (np.ones(3),), unroll=True))
    assert {"▾ x = np.sin(x)", "▸ sin … sin_39", "▾ sin_280 … sin_299", "▸ x = np.cos(x)"} <= set(
        run("return texts('.sheet g text:first-of-type')")
    )
    run("document.querySelector('[name=unfold]').click()")
    assert len(run("return texts('.sheet .call_function')")) == 330
