"""JavaScript that reads and uses the page of --http, for Page.evaluate() and Page.wait()."""

STATE = "document.getElementById('state')?.textContent"
PLOTS = "document.querySelectorAll('#plots figure').length"
AXES = "[...document.querySelectorAll('#plots .times')].map((e) => [...e.children].map((one) => one.textContent))"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
WIDTH = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def figure(group, key):
    """The value of a figure in the table of a group with one record."""
    return ("(() => { for (const box of document.querySelectorAll('details')) {"
            f" if (box.querySelector('summary').textContent !== '{group}') continue;"
            " for (const row of box.querySelectorAll('tr'))"
            f" if (row.children[0].textContent === '{key}') return row.children[1].textContent; }} }})()")


def service(name, column):
    """The value of a column in the row of a service."""
    return ("(() => { const box = [...document.querySelectorAll('details')].find((e) =>"
            " e.querySelector('summary').textContent.startsWith('service ('));"
            " if (!box) return;"
            " const at = [...box.querySelectorAll('thead th')].findIndex((e) =>"
            f" e.textContent.split(' ')[0] === '{column}');"
            " const row = [...box.querySelectorAll('tbody tr')].find((e) =>"
            f" [...e.children].some((one) => one.textContent === '{name}'));"
            " return row && row.children[at].textContent; })()")


def rows(group):
    """The last label of each row of a table."""
    return (f"[...document.querySelectorAll('[aria-label=\"Figures of {group}\"] tbody tr')].map((row) =>"
            " [...row.querySelectorAll('th')].pop().textContent)")


def click_head(group, column):
    return f"document.querySelector('[data-key=\"{group} {column}\"]').click()"


def click_summary(group):
    return (f"document.querySelector('[aria-label=\"Figures of {group}\"]').closest('details')"
            ".querySelector('summary').click()")


TABLE = '[aria-label="Figures of service"]'
FILTER = '[aria-label="Filter service by name"]'

# The form of the operator.
SAID = "document.getElementById('operator_state').textContent"
BUTTON = "document.querySelector('#operator_list button')"


def operator_cell(column):
    """The value of a column in the first row of the operator's list."""
    return ("(() => { const at = [...document.querySelectorAll('#operator_list th')].findIndex((e) =>"
            f" e.textContent === '{column}');"
            " return document.querySelectorAll('#operator_list td')[at]?.textContent; })()")
