// The tables of the groups of figures.

const rows_without_filter = 10;
const most_rows = 200;

// By group: how its table is sorted, and the elements that stay while the table is drawn again.
const sections = new Map();

function section_of(group) {
  if (!sections.has(group)) {
    const section = {
      sort: null,
      summary: element('summary'),
      filter: element('input', {type: 'search', 'aria-label': `Filter ${group} by name`, placeholder: 'Filter by name'}),
      content: element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Figures of ${group}`}),
      note: element('p', {class: 'help'}),
    };
    section.box = element('details', {}, section.summary, section.filter, section.note, section.content);
    section.box.open = group !== 'http';
    section.filter.addEventListener('input', draw);
    sections.set(group, section);
  }
  return sections.get(group);
}

// A group with one record: one row for each figure, with its description.
function draw_record(record, figures) {
  const body = element('tbody');
  for (const [key, value] of Object.entries(record)) {
    const about = figures[key];
    // A narrow page breaks a long name behind an underscore.
    const words = key.split(/(?<=_)/).flatMap((word) => [word, element('wbr')]);
    body.append(element('tr', {}, element('th', {scope: 'row'}, ...words),
      element('td', {class: typeof value === 'string' ? 'word' : 'number'}, text(value, about ? about.unit : '')),
      element('td', {class: 'help'}, about ? about.help : '')));
  }
  return element('table', {}, body);
}

// Labels come first, and then what an operator looks for. The endpoint is left out if all records have the same one.
function columns_of(records, figures) {
  const place = (column) => ['label', 'gauge', 'histogram', 'counter'].indexOf(figures[column]?.type || 'label');
  return Object.keys(records[0])
    .filter((column) => column !== 'endpoint' || records.some((record) => record.endpoint !== records[0].endpoint))
    .sort((a, b) => place(a) - place(b));
}

// The value by which rows are sorted. For a histogram, this is its mean.
function rank(value) {
  if (typeof value !== 'object') {
    return value;
  }
  return value.count === 0 ? 0 : value.sum / value.count;
}

// A group with many records: one row for each record, sorted by a column.
function draw_records(group, records, figures) {
  const section = section_of(group);
  const columns = columns_of(records, figures);
  const sort = section.sort || {by: columns[0], down: false};
  const head = element('tr');
  for (const column of columns) {
    const button = element('button', {type: 'button', 'data-key': `${group} ${column}`,
      title: figures[column] ? figures[column].help : column},
    column + (sort.by === column ? (sort.down ? ' ▼' : ' ▲') : ''));
    button.addEventListener('click', () => {
      getSelection().removeAllRanges();
      section.sort = {by: column, down: sort.by === column ? !sort.down : column in figures};
      draw();
    });
    head.append(element('th', {scope: 'col', class: column in figures ? 'number' : 'label',
      'aria-sort': sort.by !== column ? 'none' : sort.down ? 'descending' : 'ascending'}, button));
  }
  const labels = columns.filter((column) => !(column in figures));
  const filter = section.filter.hidden ? '' : section.filter.value;
  const shown = records.filter((record) => labels.some((label) => record[label].includes(filter)));
  const order = (a, b) => a < b ? -1 : a > b ? 1 : 0;
  shown.sort((a, b) => order(rank(a[sort.by]), rank(b[sort.by])) * (sort.down ? -1 : 1));
  section.note.textContent = shown.length > most_rows ? `${most_rows} of ${text(shown.length)} rows are shown` : '';
  const body = element('tbody');
  for (const record of shown.slice(0, most_rows)) {
    const row = element('tr');
    for (const column of columns) {
      row.append(element(column in figures ? 'td' : 'th', column in figures ? {class: 'number'} : {scope: 'row'},
        text(record[column], figures[column] ? figures[column].unit : '')));
    }
    body.append(row);
  }
  return element('table', {}, element('thead', {}, head), body);
}

// Returns the section. A table with selected text stays as it is.
function draw_group(group, records, figures) {
  const section = section_of(group);
  // A record with a name is one of a list, even if it is alone.
  const many = records.length !== 1 || Object.keys(records[0]).some((key) => key !== 'endpoint' && !(key in figures));
  section.summary.textContent = many ? `${group} (${records.length})` : group;
  section.filter.hidden = records.length <= rows_without_filter;
  if (!has_selection(section.content)) {
    section.content.replaceChildren(records.length === 0 ? 'none'
      : many ? draw_records(group, records, figures) : draw_record(records[0], figures));
  }
  return section.box;
}
