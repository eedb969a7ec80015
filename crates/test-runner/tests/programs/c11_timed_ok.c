#include <threads.h>
#include <stdlib.h>
#include <time.h>
mtx_t m;int w(void*a){struct timespec s;timespec_get(&s,TIME_UTC);s.tv_sec+=1;int r=mtx_timedlock(&m,&s);if(r==thrd_success){mtx_unlock(&m);return 0;}return r==thrd_timedout?0:1;}
int main(){mtx_init(&m,mtx_timed);thrd_t t;mtx_lock(&m);thrd_create(&t,w,0);struct timespec d={2,0};thrd_sleep(&d,0);mtx_unlock(&m);int r;thrd_join(t,&r);return r;}
