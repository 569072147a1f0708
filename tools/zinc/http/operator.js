// The operator's list of workers or requests. The token stays in the memory of this page.
const operation = {token: '', list: null, sure: null};

function operate(options) {
  return fetch('/operator', {...options, cache: 'no-store', credentials: 'omit',
    headers: {Authorization: `Bearer ${operation.token}`}}).then(async (answer) => {
    const words = await answer.text();
    if (!answer.ok) {
      throw new Error(words.trim());
    }
    return words;
  });
}

function say(words) {
  document.getElementById('operator_state').textContent = words;
}

async function list_things() {
  operation.sure = null;
  try {
    operation.list = JSON.parse(await operate({}));
    say(operation.list.items.length === 0 ? `There are no ${operation.list.things}.` : '');
  } catch (fault) {
    operation.list = null;
    say(fault.message);
  }
  draw_things();
}

// The first click on a button asks, the second one acts.
async function change(item) {
  if (operation.sure !== item.id) {
    operation.sure = item.id;
    draw_things();
    return;
  }
  try {
    await operate({method: 'POST', body: item.id});
  } catch (fault) {
    say(fault.message);
    return;
  }
  await list_things();
}

function draw_things() {
  const focused = document.activeElement && document.activeElement.dataset.id;
  const at = document.getElementById('operator_list');
  at.replaceChildren();
  if (!operation.list || operation.list.items.length === 0) {
    return;
  }
  const {items, action} = operation.list;
  const columns = Object.keys(items[0]).filter((column) => column !== 'id');
  const head = element('tr', {}, ...columns.map((column) => element('th', {scope: 'col'}, column)),
    element('th', {scope: 'col'}, action));
  const body = element('tbody', {}, ...items.map((item) => {
    const button = element('button', {type: 'button', class: 'act', 'data-id': item.id},
      operation.sure === item.id ? `really ${action}?` : action);
    button.addEventListener('click', () => change(item));
    return element('tr', {}, ...columns.map((column) => element('td', {}, text(item[column]))), element('td', {}, button));
  }));
  at.append(element('table', {}, element('thead', {}, head), body));
  const again = focused && at.querySelector(`[data-id="${CSS.escape(focused)}"]`);
  if (again) {
    again.focus({preventScroll: true});
  }
}

document.getElementById('operator_form').addEventListener('submit', (event) => {
  event.preventDefault();
  operation.token = document.getElementById('token').value;
  list_things();
});
