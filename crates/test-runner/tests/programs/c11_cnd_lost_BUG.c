#include <threads.h>
#include <stdlib.h>
mtx_t m;cnd_t c;int v;int w(void*a){mtx_lock(&m);cnd_signal(&c);v=1;mtx_unlock(&m);return 0;}
int main(){mtx_init(&m,mtx_plain);cnd_init(&c);thrd_t t;thrd_create(&t,w,0);mtx_lock(&m);cnd_wait(&c,&m);mtx_unlock(&m);thrd_join(t,0);return 0;}
