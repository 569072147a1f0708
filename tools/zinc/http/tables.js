// The tables of the groups of figures.

const rows_without_filter = 10;

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

// The value by which rows are sorted. For a histogram, this is its mean.
function rank(value) {
  if (typeof value !== 'object') {
    return value;
  }
  return value.count === 0 ? 0 : value.sum / value.count;
}

// A group with many records: one row for each record, sorted by a column.
function draw_records(group, records, figures) {
  const columns = Object.keys(records[0]);
  const sort = state.sort.get(group) || {by: columns[0], down: false};
  const head = element('tr');
  for (const column of columns) {
    const button = element('button', {type: 'button', 'data-key': `${group} ${column}`,
      title: figures[column] ? figures[column].help : column},
    column + (sort.by === column ? (sort.down ? ' ▼' : ' ▲') : ''));
    button.addEventListener('click', () => {
      state.sort.set(group, {by: column, down: sort.by === column ? !sort.down : column in figures});
      draw();
    });
    head.append(element('th', {scope: 'col', class: column in figures ? 'number' : 'label',
      'aria-sort': sort.by !== column ? 'none' : sort.down ? 'descending' : 'ascending'}, button));
  }
  const labels = columns.filter((column) => !(column in figures));
  const filter = records.length > rows_without_filter ? state.filters.get(group) || '' : '';
  const shown = records.filter((record) => labels.some((label) => record[label].includes(filter)));
  const order = (a, b) => a < b ? -1 : a > b ? 1 : 0;
  shown.sort((a, b) => order(rank(a[sort.by]), rank(b[sort.by])) * (sort.down ? -1 : 1));
  const body = element('tbody');
  for (const record of shown.slice(0, 200)) {
    const row = element('tr');
    for (const column of columns) {
      row.append(element(column in figures ? 'td' : 'th', column in figures ? {class: 'number'} : {scope: 'row'},
        text(record[column], figures[column] ? figures[column].unit : '')));
    }
    body.append(row);
  }
  return element('table', {}, element('thead', {}, head), body);
}

function draw_group(group, records, figures) {
  const many = group === 'service' || group === 'titanic_service' || records.length > 1;
  const summary = element('summary', {'data-key': `summary ${group}`}, many ? `${group} (${records.length})` : group);
  const box = element('details', {}, summary);
  box.open = state.open.has(group) ? state.open.get(group) : group !== 'http';
  box.addEventListener('toggle', () => state.open.set(group, box.open));
  if (many && records.length > rows_without_filter) {
    const input = element('input', {type: 'search', 'data-key': `filter ${group}`,
      'aria-label': `Filter ${group} by name`, placeholder: 'Filter by name'});
    input.value = state.filters.get(group) || '';
    input.addEventListener('input', () => {
      state.filters.set(group, input.value);
      draw();
    });
    box.append(input);
  }
  box.append(element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Figures of ${group}`,
    'data-key': `scroll ${group}`}, many ? draw_records(group, records, figures) : draw_record(records[0], figures)));
  return box;
}
