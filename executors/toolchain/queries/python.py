# Says which interpreter this is and which libraries it finds. Lines are marked, because start-up files of the
# installation may print others. Also runs on Python 2.
import os, sys, site
def say(key, value): sys.stdout.write('etude:%s=%s\n' % (key, value))
say('executable', sys.executable)
say('prefix', sys.prefix)
say('base_prefix', getattr(sys, 'base_prefix', sys.prefix))
say('version', '%d.%d.%d' % sys.version_info[:3])
if getattr(site, 'ENABLE_USER_SITE', False):
    say('user_site', site.getusersitepackages())
    say('user_base', site.getuserbase())
seen = set()
for folder in sys.path:
    if not folder or not os.path.isdir(folder): continue
    say('folder', os.path.abspath(folder))
    for name in sorted(os.listdir(folder)):
        stem, kind = os.path.splitext(name)
        parts = stem.split('-')
        if kind in ('.dist-info', '.egg-info') and len(parts) > 1 and parts[0].lower() not in seen:
            seen.add(parts[0].lower())
            say('library', parts[0] + '==' + parts[1])
