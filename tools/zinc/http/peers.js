// The workers and clients of a broker. Their number has no limit, so the live status does not have them: the page reads
// /status when the reader opens their section.

// By group: the figure of a broker that counts them.
const peer_groups = {worker: 'workers', client: 'clients'};

const peers = {groups: {}, figures: {}, at: ''};

async function read_peers() {
  getSelection().removeAllRanges();
  try {
    const answer = await fetch('/status', {cache: 'no-store'});
    Object.assign(peers, await answer.json(), {at: new Date().toLocaleTimeString()});
  } catch {
    return; // the list stays, with its time
  }
  draw();
}

function peer_section(group) {
  const again = element('button', {type: 'button', class: 'act'}, 'read again');
  const section = section_of(group);
  section.time = element('span', {class: 'help'});
  section.summary.after(element('p', {}, again, ' ', section.time));
  section.box.open = false;
  section.box.addEventListener('toggle', () => section.box.open && read_peers());
  again.addEventListener('click', read_peers);
  return section;
}

function draw_peers(group, brokers) {
  const section = sections.has(group) ? section_of(group) : peer_section(group);
  section.time.textContent = peers.at;
  draw_group(group, peers.groups[group] || [], peers.figures[group] || {});
  const count = brokers.reduce((sum, broker) => sum + broker[peer_groups[group]], 0);
  section.summary.textContent = `${group} (${text(count)})`;
  return section.box;
}
