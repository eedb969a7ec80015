#include <threads.h>
#include <stdlib.h>
mtx_t m;int x;int w(void*a){while(mtx_trylock(&m)!=thrd_success)thrd_yield();x++;mtx_unlock(&m);return 0;}int main(){mtx_init(&m,mtx_plain);thrd_t t,u;thrd_create(&t,w,0);thrd_create(&u,w,0);thrd_join(t,0);thrd_join(u,0);return x!=2;}
