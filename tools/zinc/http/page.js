// The page of a component. The server sends the history of ten minutes, then the document of /status once a second.

const points = 600;
const separator = '\u0000';

const state = {status: null, last: null, series: new Map()};

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function shape(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  return made;
}

function text(value, unit = '') {
  if (value === null || value === undefined) {
    return '–';
  }
  if (typeof value === 'object') {
    return value.count === 0 ? '0' : `${value.count} × ${text(value.sum / value.count, 'seconds')}`;
  }
  if (typeof value !== 'number') {
    return String(value);
  }
  if (unit === 'seconds') {
    return value >= 1 ? `${value.toFixed(2)} s`
      : value >= 0.001 ? `${(value * 1e3).toFixed(1)} ms` : `${Math.round(value * 1e6)} µs`;
  }
  if (unit.startsWith('bytes') && value >= 1024) {
    const step = Math.min(4, Math.floor(Math.log2(value) / 10));
    return `${(value / 1024 ** step).toFixed(1)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][step]}`;
  }
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(1);
}

// Adds up the records of a group: a broker with several threads has one for each.
function total(records, figures) {
  const all = {};
  for (const record of records || []) {
    for (const [key, value] of Object.entries(record)) {
      if (typeof value === 'number') {
        all[key] = (all[key] || 0) + value;
      } else if (typeof value === 'object') {
        const before = all[key] || {buckets: value.buckets.map(() => 0)};
        all[key] = {bounds: figures[key].bounds, buckets: value.buckets.map((count, i) => count + before.buckets[i])};
      }
    }
  }
  return all;
}

// Returns the upper bound of the bucket with the quantile of the durations since `before`.
function quantile(now, before, part) {
  const counts = now.buckets.map((count, i) => count - before.buckets[i]);
  const all = counts.reduce((sum, each) => sum + each, 0);
  let seen = 0;
  for (let i = 0; all > 0 && i < counts.length; ++i) {
    seen += counts[i];
    if (seen >= all * part) {
      return now.bounds[Math.min(i, now.bounds.length - 1)];
    }
  }
  return null;
}

function measure(how, now, before, seconds) {
  if (how.rate) {
    return before ? Math.max(0, now[how.rate] - before[how.rate]) / seconds : null;
  }
  if (how.quantile) {
    return before ? quantile(now[how.of], before[how.of], how.quantile) : null;
  }
  return now[how.of];
}

function take(status) {
  const totals = {};
  for (const group of Object.keys(plots)) {
    if (status.groups[group]) {
      totals[group] = total(status.groups[group], status.figures[group]);
    }
  }
  add_points(totals, performance.now() / 1000);
  state.status = status;
}

// Takes the samples that the server made before this page was opened, and draws nothing yet.
function take_history(history) {
  const value = (values, i) => Array.isArray(values) ? values[i] : values;
  state.series.clear();
  state.last = null;
  history.ages.forEach((age, i) => {
    const totals = {};
    for (const group of Object.keys(plots)) {
      if (history.groups[group]) {
        totals[group] = Object.fromEntries(Object.entries(history.groups[group]).map(([key, values]) =>
          [key, values.buckets
            ? {bounds: values.bounds, buckets: values.buckets.map((each) => value(each, i))} : value(values, i)]));
      }
    }
    add_points(totals, performance.now() / 1000 - age);
  });
}

function add_points(totals, at) {
  for (const group of Object.keys(totals)) {
    const before = state.last && state.last.totals[group];
    for (const [title, , series] of plots[group]) {
      series.forEach(([, how], i) => {
        const key = [group, title, i].join(separator);
        const values = state.series.get(key) || [];
        values.push([at, measure(how, totals[group], before, before ? at - state.last.at : 1)]);
        while (values.length > points + 1 || at - values[0][0] > points) {
          values.shift();
        }
        state.series.set(key, values);
      });
    }
  }
  state.last = {totals, at};
}

function draw_plot(group, [title, unit, series]) {
  const all = series.map((_, i) => state.series.get([group, title, i].join(separator)) || []);
  const top = Math.max(...all.flat().map(([, value]) => value || 0)) || 1;
  const svg = shape('svg', {viewBox: `0 0 ${points} 100`, preserveAspectRatio: 'none', role: 'img'});
  svg.append(shape('line', {x1: 0, x2: points, y1: 100, y2: 100, class: 'axis'}));
  const list = element('ul');
  series.forEach(([name], i) => {
    let line = [];
    const finish = () => {
      if (line.length > 0) {
        svg.append(shape('polyline', {points: line.join(' '), class: `s${i}`}));
      }
      line = [];
    };
    for (const [at, value] of all[i]) {
      if (value === null) {
        finish();
      } else {
        const x = points - (state.last.at - at);
        line.push(`${x.toFixed(1)},${(98 - 94 * value / top).toFixed(1)}`);
      }
    }
    finish();
    const last = all[i].length > 0 ? all[i][all[i].length - 1][1] : null;
    list.append(element('li', {class: `s${i}`}, `${name} ${text(last, unit)}`));
  });
  svg.setAttribute('aria-label', `${title}, ${unit}: ${[...list.children].map((e) => e.textContent).join(', ')}`);
  return element('figure', {}, element('figcaption', {}, element('h2', {}, title),
    element('span', {}, `${unit}, top ${text(top, unit)}`)), svg,
  element('p', {class: 'times'}, element('span', {}, '10 minutes ago'), element('span', {}, 'now')), list);
}

function has_selection(node) {
  const selection = getSelection();
  return !selection.isCollapsed && selection.containsNode(node, true);
}

// Redraws everything that changes. A button in the head of a table keeps the focus.
function draw() {
  const {status} = state;
  const focused = document.activeElement && document.activeElement.dataset.key;
  document.title = `Zinc ${status.component}`;
  document.getElementById('title').textContent = `Zinc ${status.component} ${status.version}`;
  show(status.ready ? 'ready' : `not ready: ${status.not_ready}`, status.ready);
  const figures = document.getElementById('plots');
  if (!has_selection(figures)) {
    figures.replaceChildren(...Object.keys(plots).filter((group) => status.groups[group])
      .flatMap((group) => plots[group].filter(([, , , needs]) => !needs || status.groups[needs])
        .map((plot) => draw_plot(group, plot))));
  }
  const groups = document.getElementById('groups');
  const boxes = Object.entries(status.groups)
    .map(([group, records]) => draw_group(group, records, status.figures[group]));
  if (status.groups.broker) {
    boxes.splice(-1, 0, ...Object.keys(peer_groups).map((group) => draw_peers(group, status.groups.broker)));
  }
  // Only new elements are inserted: one that is inserted again loses the focus.
  boxes.forEach((box, i) => {
    if (groups.children[i] !== box) {
      groups.insertBefore(box, groups.children[i] || null);
    }
  });
  while (groups.children.length > boxes.length) {
    groups.lastChild.remove();
  }
  const again = focused && document.querySelector(`[data-key="${CSS.escape(focused)}"]`);
  if (again) {
    again.focus({preventScroll: true});
  }
}

function show(words, good) {
  const at = document.getElementById('state');
  if (at.textContent !== words) {
    at.textContent = words;
  }
  at.className = good ? 'good' : 'bad';
}

function connect() {
  const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/live`);
  socket.addEventListener('message', (event) => {
    const data = JSON.parse(event.data);
    if (data.history) {
      take_history(data.history);
      document.getElementById('operator').hidden = !data.operator;
    } else {
      take(data);
      draw();
    }
  });
  let opened = false;
  socket.addEventListener('open', () => {
    opened = true;
  });
  socket.addEventListener('close', async () => {
    // A WebSocket does not tell why the server refused it.
    const refused = !opened && await fetch('/healthz', {cache: 'no-store'}).then((answer) => answer.ok, () => false);
    show(refused ? 'no updates: the server refuses this page; close other pages' : 'disconnected', false);
    setTimeout(connect, 2000);
  });
}

connect();
